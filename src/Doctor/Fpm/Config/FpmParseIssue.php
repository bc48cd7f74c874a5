<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

/**
 * Something in PHP-FPM's configuration that was not understood and therefore has no value here.
 *
 * @internal
 */
final readonly class FpmParseIssue
{
    /** @param bool $isLost a pool or a setting may stand there that is not known */
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
