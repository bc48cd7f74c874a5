<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * Something a health check found.
 */
final readonly class Problem
{
    /**
     * @param string $subject what it is about, such as a bucket or a directory
     * @param string $message what was seen and what is expected
     * @param string $mend the command or change that mends it
     * @param bool $fatal whether events would be refused, lost or left undelivered because of it
     */
    public function __construct(
        public string $subject,
        public string $message,
        public string $mend,
        public bool $fatal = true,
    ) {}
}
