<?php

declare(strict_types=1);

namespace Headroom\Core;

use JsonSerializable;

/**
 * What a check found wrong, and how to fix it.
 */
final readonly class Finding implements JsonSerializable
{
    /**
     * @param string $subject a bucket or a directory, for example
     * @param string $message what was seen and what is expected
     * @param string $fix the command or the change that fixes it
     * @param bool $fatal whether events would be refused, lost or left undelivered because of it
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

    /** @return array{subject: string, message: string, mend: string, fatal: bool} */
    public function jsonSerialize(): array
    {
        return [
            'subject' => $this->subject,
            'message' => $this->message,
            // The name of this member in JSON is older than that of the property.
            'mend' => $this->fix,
            'fatal' => $this->fatal,
        ];
    }
}
