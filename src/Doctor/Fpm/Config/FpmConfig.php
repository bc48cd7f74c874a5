<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

/**
 * What PHP-FPM is told to do.
 *
 * @internal
 */
final readonly class FpmConfig
{
    /**
     * @param array<string, PoolSettings> $pools by name
     * @param list<FpmParseIssue> $misreads
     * @param bool $isEffective whether defaults are in it, as php-fpm -tt prints them; files hold only what was written
     */
    public function __construct(
        public PoolSettings $global,
        public array $pools,
        public array $misreads,
        public bool $isEffective,
    ) {}

    public function pool(string $name): ?PoolSettings
    {
        return $this->pools[$name] ?? null;
    }

    /** Effective values with file:line. What only this file reader could not read is no misread: FPM itself read it. */
    public function locatedBy(self $files): self
    {
        return new self(
            $this->global->locatedBy($files->global),
            array_map(
                static fn (PoolSettings $pool): PoolSettings => $pool->locatedBy($files->pool($pool->name)),
                $this->pools,
            ),
            $this->misreads,
            $this->isEffective,
        );
    }
}
