<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Fpm\Status\PoolProcess;

/**
 * The page that most processes of a pool work on, or worked on last.
 *
 * @internal
 */
final readonly class BusyPage
{
    /**
     * @param list<PoolProcess> $processes
     * @param string $site scheme, host and port
     */
    public function __construct(private array $processes, private string $site) {}

    /** @return string what names the functions of this page */
    public function command(): string
    {
        $paths = array_map(self::path(...), $this->processes);
        $counts = array_count_values(array_filter($paths, static fn (?string $path): bool => $path !== null));
        arsort($counts);

        return 'headroom doctor --url='.escapeshellarg($this->site.(array_key_first($counts) ?? '/'));
    }

    /** Other methods may not be safe to repeat. */
    private static function path(PoolProcess $process): ?string
    {
        $isPage = $process->method === 'GET' && str_starts_with($process->uri ?? '', '/');

        return $isPage && ! LoadedScript::isDoctors($process->script ?? '') ? $process->uri : null;
    }
}
