<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoot;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Doctor\NotApplicable;
use Headroom\Preload\Script\InstalledScript;
use Headroom\Preload\UnableToPreload;

/**
 * Finds the pools that serve an application, and the classes they have preloaded.
 *
 * @internal
 */
final readonly class ServingPools
{
    public function __construct(private Facts $facts, private string $root) {}

    /**
     * Pools that run scripts of the application or have preloaded some. If there is only one PHP-FPM, all of
     * its pools.
     *
     * @return list<FpmPool>
     */
    public function serving(): array
    {
        $pools = $this->facts->get(FpmPools::class);
        $serving = array_values(
            array_filter(
                $pools->pools,
                fn (FpmPool $pool): bool => $this->serves($pool) || $this->preloads($pool) || $this->has($pool),
            ),
        );

        // A pool that was just started has served no request yet.
        return $serving !== [] || count($pools->ofEachMaster()) > 1 || $this->hasOthers($pools)
            ? $serving
            : $pools->pools;
    }

    private function serves(FpmPool $pool): bool
    {
        try {
            return $pool->serves($this->root);
        } catch (FactUnavailable) {
            return false;
        }
    }

    /**
     * All pools of a PHP-FPM share what it preloads. If no PHP-FPM runs, as during the build of an image, or none can
     * be asked, nothing is refused. The doctor checks this again later.
     *
     * @throws UnableToPreload if the PHP-FPM of this application serves other applications, too
     */
    public function refuseSharedMaster(): void
    {
        try {
            $others = $this->others();
        } catch (FactUnavailable|NotApplicable) {
            return;
        }

        if ($others !== []) {
            throw UnableToPreload::sharedMaster($this->root, array_column($others, 'path'), $others[0]->source);
        }
    }

    /**
     * Empty if no PHP-FPM is known to serve this application.
     *
     * @return list<ApplicationRoot> other applications that the same PHP-FPM serves
     */
    private function others(): array
    {
        $applications = $this->facts->get(ServedApplications::class);

        foreach ($this->facts->get(FpmPools::class)->ofEachMaster() as $pool) {
            if ($this->has($pool)) {
                return $applications->besides($pool, $this->root);
            }
        }

        return [];
    }

    /** @return list<array{pool: string, php: ?string, classes: int, files: int, problems: list<string>}> */
    public function states(?InstalledScript $installed): array
    {
        return array_map(fn (FpmPool $pool): array => $this->state($pool, $installed), $this->serving());
    }

    /** @return array{pool: string, php: ?string, classes: int, files: int, problems: list<string>} */
    private function state(FpmPool $pool, ?InstalledScript $installed): array
    {
        $name = $this->facts->get(FpmPools::class)->subject($pool);

        try {
            $runtime = $pool->runtime();
        } catch (FactUnavailable $e) {
            return ['pool' => $name, 'php' => null, 'classes' => 0, 'files' => 0, 'problems' => [$e->getMessage()]];
        }

        $script = $runtime->ini('opcache.preload')->value ?? '';
        $files = $runtime->preloaded->files ?? [];
        // The script itself, and a script that includes it, are not on its list.
        $listed = array_diff($files, [(string) realpath($script), (string) realpath($installed->path ?? '')]);
        $missing = $installed === null
            ? []
            : array_diff(
                array_map(fn (string $file): string => (string) realpath("{$this->root}/{$file}"), $installed->files()),
                $files,
            );
        $problem = match (true) {
            $runtime->opcache === null => "{$name}: {$runtime->opcacheUnknown}.",
            $pool->settings->ini('opcache.preload') !== null => "{$name}: opcache.preload is set in the pool, which"
                .' PHP '
                .'ignores. Set it in php.ini and restart PHP-FPM.',
            $script === '' => "{$name}: opcache.preload is not set. Set it in php.ini of PHP-FPM and restart it.",
            ($runtime->preloaded->symbols ?? 0) === 0 => "{$name}: {$script} preloads nothing; PHP's log has the"
                .' reason. '
                .'Generate it again and restart PHP-FPM.',
            ($runtime->preloaded->changed ?? 0) > 0 => "{$name}: {$runtime->preloaded?->changed} preloaded files have "
                ."changed, such as {$runtime->preloaded?->firstChanged}: requests run the old code. Restart PHP-FPM.",
            $missing !== [] => "{$name}: ".count($missing)." of the script's files are not preloaded, such as "
                .reset($missing).'. Restart PHP-FPM.',
            default => null,
        };

        return [
            'pool' => $name,
            'php' => $runtime->phpVersion,
            'classes' => $runtime->preloaded->symbols ?? 0,
            'files' => count($listed),
            'problems' => $problem === null ? $this->shared($pool, $name) : [$problem],
        ];
    }

    /** @return list<string> */
    private function shared(FpmPool $pool, string $name): array
    {
        try {
            $others = $this->facts->get(ServedApplications::class)->besides($pool, $this->root);
        } catch (FactUnavailable) {
            return [];
        }

        return $others === [] ? [] : [
            "{$name}: the same PHP-FPM serves {$others[0]->path}, which runs this application's classes in place of"
                .' its '
                .'own classes of the same names: headroom doctor --only=O14',
        ];
    }

    /** Whether the PHP-FPM of the pool serves this application. */
    private function has(FpmPool $pool): bool
    {
        $own = ApplicationRoot::here($this->root);

        try {
            return array_filter(
                $this->facts->get(ServedApplications::class)->of($pool),
                static fn (ApplicationRoot $one): bool => $one->isOfSameApplicationAs($own),
            ) !== [];
        } catch (FactUnavailable) {
            return false;
        }
    }

    private function hasOthers(FpmPools $pools): bool
    {
        try {
            return array_filter(
                $pools->ofEachMaster(),
                fn (FpmPool $pool): bool
                    => $this->facts->get(ServedApplications::class)->besides($pool, $this->root) !== [],
            ) !== [];
        } catch (FactUnavailable) {
            return false;
        }
    }

    /** Looks at the preloaded files, since the file of opcache.preload may include that of this application. */
    private function preloads(FpmPool $pool): bool
    {
        try {
            $runtime = $pool->runtime();
        } catch (FactUnavailable) {
            return false;
        }

        $files = [
            ...($runtime->preloaded->files ?? []), (string) realpath($runtime->ini('opcache.preload')->value ?? ''),
        ];

        return array_filter($files, fn (string $file): bool => str_starts_with($file, "{$this->root}/")) !== [];
    }
}
