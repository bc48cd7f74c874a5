<?php

declare(strict_types=1);

namespace Headroom\Core;

use JsonSerializable;

/**
 * A problem that a check has found, and how to fix it.
 */
final readonly class Finding implements JsonSerializable
{
    /**
     * @param string $subject the object, such as a bucket or a directory
     * @param string $message the value seen and the value expected
     * @param string $fix the command or the change that fixes it
     * @param bool $fatal true if events would be rejected, lost or not delivered because of it
     */
    public function __construct(
        public string $subject,
        public string $message,
        public string $fix,
        public bool $fatal = true,
    ) {}

    public function about(string $subject): self
    {
        return new self($subject, $this->message, $this->fix, $this->fatal);
    }

    /** @return array<string, bool|string> */
    public function jsonSerialize(): array
    {
        return [
            'subject' => $this->subject,
            'message' => $this->message,
            // `--json` prints this member under its earlier name.
            'mend' => $this->fix,
            'fatal' => $this->fatal,
        ];
    }
}
