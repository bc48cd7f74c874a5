<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoot;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * Which applications a PHP-FPM serves. All its pools share one opcache, and one table of preloaded classes: what is
 * preloaded for one application is there in each.
 *
 * @internal
 */
final class ServedApplications
{
    /** @var array<string, list<ApplicationRoot>> by the key of a master */
    private array $found = [];

    public function __construct(private readonly FpmPools $pools, private readonly ?NginxServers $nginx) {}

    /**
     * @param FpmPool $pool any pool of the PHP-FPM
     * @return list<ApplicationRoot> one for each application; of its releases the first
     *
     * @throws FactUnavailable if a pool cannot be asked
     */
    public function of(FpmPool $pool): array
    {
        return $this->found[$pool->master->key] ??= $this->find($pool);
    }

    /**
     * @param string $root of an application that this machine has
     * @return list<ApplicationRoot> of other applications that the same PHP-FPM serves
     *
     * @throws FactUnavailable
     */
    public function besides(FpmPool $pool, string $root): array
    {
        $own = ApplicationRoot::here($root);

        return array_values(array_filter(
            $this->of($pool),
            static fn (ApplicationRoot $other): bool => ! $other->isOfSameApplicationAs($own),
        ));
    }

    /**
     * @return list<ApplicationRoot>
     *
     * @throws FactUnavailable
     */
    private function find(FpmPool $one): array
    {
        $roots = [];
        $gone = [];
        $unknown = null;

        foreach ($this->pools->pools as $pool) {
            if ($pool->master->key !== $one->master->key) {
                continue;
            }

            try {
                $seen = $pool->roots($this->documentRoots($pool, $unknown));
                $unknown = $seen->unread === null
                    ? $unknown
                    : FactUnavailable::because(
                        "Which applications the pool {$pool->name()} serves is not known: {$seen->unread}.",
                        "opcache_get_status()['scripts'] in a script of the pool",
                    );

                foreach ($seen->roots as $root) {
                    // Where this pool may not look, another one may have.
                    $known = $roots[$root->path] ?? $root;
                    $roots[$root->path] = $known->real === null ? $root : $known;
                }

                array_push($gone, ...$seen->gone);
                $unknown = $this->mayServeMore($pool) ?? $unknown;
            } catch (FactUnavailable $e) {
                $unknown = $e;
            }
        }

        $applications = self::distinct(array_values(array_diff_key($roots, array_flip($gone))));

        // Two applications are two, also if another pool cannot be asked.
        return count($applications) < 2 && $unknown !== null ? throw $unknown : $applications;
    }

    /**
     * @param list<ApplicationRoot> $roots
     * @return list<ApplicationRoot>
     */
    private static function distinct(array $roots): array
    {
        $applications = [];

        foreach ($roots as $root) {
            $isKnown = array_filter(
                $applications,
                static fn (ApplicationRoot $other): bool => $root->isOfSameApplicationAs($other),
            ) !== [];
            // A package with an autoloader of its own, and a plugin, is a part of the application around it.
            $isPart = ! $root->hasEntry && array_filter($roots, $root->isBelow(...)) !== [];

            if (! $isKnown && ! $isPart) {
                $applications[] = $root;
            }
        }

        return $applications;
    }

    /**
     * @return list<string> directories of scripts that nginx sends to the pool for, as far as its configuration tells
     */
    private function documentRoots(FpmPool $pool, ?FactUnavailable &$unknown): array
    {
        $directories = [];

        foreach ($this->nginx->known ?? [] as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                if (array_filter($pass->targets->addresses(), $pool->listensAt(...)) !== []) {
                    $directories[] = self::directory($nginx, $pass, $unknown);
                }
            }
        }

        return array_values(array_unique(array_filter(
            $directories,
            static fn (?string $directory): bool => $directory !== null,
        )));
    }

    /** Where a pass may lead to the pool for scripts of a directory that no other one leads to it for. */
    private function mayServeMore(FpmPool $pool): ?FactUnavailable
    {
        $unknown = null;
        $known = $this->documentRoots($pool, $unknown);

        foreach ($this->nginx->known ?? [] as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                $directory = self::directory($nginx, $pass, $unknown);
                $unsure = $pass->unresolved();

                if ($unsure !== null && $directory !== null && ! in_array($directory, $known, true)) {
                    return $unsure;
                }
            }
        }

        return null;
    }

    private static function directory(NginxServer $nginx, FastcgiPass $pass, ?FactUnavailable &$unknown): ?string
    {
        $script = $pass->scriptFilename?->argument(1) ?? '';

        if (str_starts_with($script, '/') && ! str_contains($script, '$')) {
            return dirname($script);
        }

        try {
            return preg_match('/\A\$\{?(?:document|realpath)_root\b/', $script) === 1
                ? $nginx->root($pass->directive->parent ?? $pass->directive)->argument(0)
                : null;
        } catch (FactUnavailable $e) {
            $unknown = $e;

            return null;
        }
    }
}
