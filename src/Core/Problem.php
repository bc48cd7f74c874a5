<?php

declare(strict_types=1);

namespace Headroom\Core;

use JsonSerializable;

/**
 * A problem that a health check has found.
 */
final readonly class Problem implements JsonSerializable
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

    /** @return array{subject: string, message: string, mend: string, fatal: bool} the member names that `--json` prints */
    public function jsonSerialize(): array
    {
        return ['subject' => $this->subject, 'message' => $this->message, 'mend' => $this->fix, 'fatal' => $this->fatal];
    }
}
