<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

/**
 * A sentence about a bucket, and one with the command or the change that fixes it.
 *
 * @internal
 */
final readonly class BucketProblem
{
    /**
     * @param string $message begins in lower case, because a line of `spool:status` begins with the name of the bucket
     * @param bool $isQuoted the message is that of an exception, whose first word may be a name
     */
    public function __construct(
        public ProblemSeverity $severity,
        private string $message,
        public ?string $fix = null,
        private bool $isQuoted = false,
    ) {}

    public function sentence(): string
    {
        return $this->isQuoted ? $this->message : ucfirst($this->message);
    }

    /** In a line that begins with the name of the bucket. */
    public function words(): string
    {
        return $this->message.($this->fix === null ? '' : " {$this->fix}");
    }
}
