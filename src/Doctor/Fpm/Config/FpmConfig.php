<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

/**
 * The configuration of a PHP-FPM.
 *
 * @internal
 */
final readonly class FpmConfig
{
    /**
     * @param array<string, PoolSettings> $pools by name
     * @param list<FpmParseIssue> $misreads
     * @param bool $isEffective whether it has the defaults, as the output of php-fpm -tt; files have explicit values
     *     only
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

    /**
     * The effective values with file:line. A line that only this reader did not understand is no issue, because FPM has
     * read it.
     */
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
