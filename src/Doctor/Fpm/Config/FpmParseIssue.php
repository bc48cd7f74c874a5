<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

/**
 * A part of PHP-FPM's configuration that was not understood.
 *
 * @internal
 */
final readonly class FpmParseIssue
{
    /** @param bool $isLost it may contain an unknown pool or setting */
    public function __construct(
        public string $file,
        public int $line,
        public string $token,
        public string $reason,
        public bool $isLost = false,
    ) {}

    public function text(): string
    {
        return "{$this->file}:{$this->line}: {$this->reason}: {$this->token}";
    }
}
