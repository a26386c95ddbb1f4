"""What is said in a recording, with its times: cues in, merged cues, passages and pages out.

``cues`` reads WebVTT and SRT, ``merging`` undoes rolling captions, ``passages`` makes text with time locators.
"""
