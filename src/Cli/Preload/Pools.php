<?php

declare(strict_types=1);

namespace Headroom\Cli\Preload;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\Applications;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\ServedRoot;
use Headroom\Doctor\UnknownFact;
use Headroom\Preload\Script\Installed;

/**
 * The pools that serve an application, and what they have preloaded.
 *
 * @internal
 */
final readonly class Pools
{
    public function __construct(private Facts $facts, private string $root) {}

    /**
     * Those that work on its scripts or preload a script of it; where there is but one PHP-FPM, all of its pools.
     *
     * @return list<FpmPool>
     */
    public function serving(): array
    {
        $pools = $this->facts->get(FpmPools::class);
        $serving = array_values(array_filter($pools->pools, fn (FpmPool $pool): bool => $pool->serves($this->root) || $this->preloads($pool)));

        return $serving === [] && count($pools->ofEachMaster()) === 1 ? $pools->pools : $serving;
    }

    /**
     * Where no PHP-FPM was seen to serve this application, none is shared.
     *
     * @return list<ServedRoot> other applications that the same PHP-FPM serves
     */
    public function others(): array
    {
        $applications = $this->facts->get(Applications::class);
        $own = ServedRoot::here($this->root);

        foreach ($this->facts->get(FpmPools::class)->ofEachMaster() as $pool) {
            try {
                $served = $applications->of($pool);
            } catch (UnknownFact) {
                continue;
            }

            if (array_filter($served, static fn (ServedRoot $one): bool => $one->isOfSameApplicationAs($own)) !== []) {
                return $applications->besides($pool, $this->root);
            }
        }

        return [];
    }

    /** @return list<array{pool: string, php: ?string, classes: int, files: int, problems: list<string>}> */
    public function states(?Installed $installed): array
    {
        return array_map(fn (FpmPool $pool): array => $this->state($pool, $installed), $this->serving());
    }

    /** @return array{pool: string, php: ?string, classes: int, files: int, problems: list<string>} */
    private function state(FpmPool $pool, ?Installed $installed): array
    {
        $name = $this->facts->get(FpmPools::class)->subject($pool);

        try {
            $runtime = $pool->runtime();
        } catch (UnknownFact $e) {
            return ['pool' => $name, 'php' => null, 'classes' => 0, 'files' => 0, 'problems' => [$e->getMessage()]];
        }

        $script = $runtime->ini('opcache.preload')->value ?? '';
        $files = $runtime->preloaded->files ?? [];
        $missing = $installed === null ? [] : array_diff(array_map(fn (string $file): string => (string) realpath("{$this->root}/{$file}"), $installed->files()), $files);
        $problem = match (true) {
            $runtime->opcache === null => "{$name}: {$runtime->opcacheUnknown}.",
            $pool->settings->ini('opcache.preload') !== null => "{$name}: opcache.preload is set for the pool, which counts for nothing. Set it in php.ini and restart PHP-FPM.",
            $script === '' => "{$name}: opcache.preload is not set. Set it in php.ini of PHP-FPM and restart it.",
            ($runtime->preloaded->symbols ?? 0) === 0 => "{$name}: {$script} preloads nothing; why, it says in the log of PHP. Restart PHP-FPM once it is made anew.",
            $missing !== [] => "{$name}: ".count($missing)." of the script's files are not preloaded, such as ".reset($missing).'. Restart PHP-FPM.',
            default => null,
        };

        return ['pool' => $name, 'php' => $runtime->phpVersion, 'classes' => $runtime->preloaded->symbols ?? 0, 'files' => max(0, count($files) - 1), 'problems' => $problem === null ? $this->shared($pool, $name) : [$problem]];
    }

    /** @return list<string> */
    private function shared(FpmPool $pool, string $name): array
    {
        try {
            $others = $this->facts->get(Applications::class)->besides($pool, $this->root);
        } catch (UnknownFact) {
            return [];
        }

        return $others === [] ? [] : ["{$name}: the same PHP-FPM serves {$others[0]->path}, which runs this application's classes where it has its own of the same names: headroom doctor --only=O14"];
    }

    private function preloads(FpmPool $pool): bool
    {
        try {
            $script = realpath($pool->runtime()->ini('opcache.preload')->value ?? '');
        } catch (UnknownFact) {
            return false;
        }

        return $script !== false && str_starts_with($script, "{$this->root}/");
    }
}
