<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * A problem that was reported and is gone.
 */
final readonly class ResolvedAlert
{
    /** @param int $seconds between the moment when it was first seen and the moment when it was seen no more */
    public function __construct(
        public AlertCause $cause,
        public string $subject,
        public ?string $bucket,
        public int $seconds,
    ) {}

    /** @return array{cause: string, title: string, subject: string, bucket: ?string, seconds: int} */
    public function toArray(): array
    {
        return [
            'cause' => $this->cause->value,
            'title' => $this->cause->title(),
            'subject' => $this->subject,
            'bucket' => $this->bucket,
            'seconds' => $this->seconds,
        ];
    }
}
