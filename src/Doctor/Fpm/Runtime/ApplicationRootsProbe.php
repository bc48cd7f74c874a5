<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\FactUnavailable;
use Headroom\Host\Fpm\Address;

/**
 * Finds applications in a worker of the pool. Each application that has served a request has
 * vendor/composer/autoload_real.php in opcache, which all pools of a PHP-FPM share. Others are found from the document
 * roots of nginx. The search has the view and the permissions of the pool.
 *
 * @internal
 */
final readonly class ApplicationRootsProbe
{
    private const CODE = <<<'PHP'
        <?php
        set_error_handler(static fn (): bool => true);
        $call = static fn (string $function, mixed ...$arguments): mixed =>
            function_exists($function) ? $function(...$arguments) : null;
        $status = $call('opcache_get_status', false);
        $count = is_array($status) ? $status['opcache_statistics']['num_cached_scripts'] ?? 0 : null;
        // The details take about 900 bytes a script; the process has 128 MB by default.
        $status = $count !== null && $count <= 40000 ? $call('opcache_get_status', true) : null;
        $scripts = is_array($status) ? $status['scripts'] ?? [] : [];
        $roots = [];
        foreach (array_keys($scripts) as $file) {
            if (
                preg_match('~\A(/.*)/[^/]+/composer/autoload_real\.php\z~', $file, $m) === 1
                || preg_match('~\A(/[^/]+)/composer/autoload_real\.php\z~', $file) === 1
            ) {
                $roots[explode('/wp-content/', $m[1] ?? '/')[0]] = 'opcache';
            }
        }
        // Before the first request, a preload list that only compiles files has cached no autoloader.
        foreach (array_slice($status['preload_statistics']['scripts'] ?? [], 0, 20000) as $file) {
            if (preg_match('~\A(/.+?)/vendor/~', $file, $m) === 1) { $roots[$m[1]] ??= 'preloaded'; }
        }
        foreach (%DIRECTORIES% as $directory) {
            for ($path = $directory, $level = 0; $level < 3 && $path !== '/'; $path = dirname($path), $level++) {
                if (is_file("{$path}/vendor/autoload.php")) { $roots[$path] ??= $directory; break; }
            }
        }
        ksort($roots);
        $sees = $call('ini_get', 'open_basedir') === '' && function_exists('realpath');
        $entry = static function (string $root) use ($scripts): bool {
            foreach (['', 'public/', 'web/', 'www/', 'html/', 'htdocs/', 'public_html/', 'httpdocs/'] as $below) {
                if (isset($scripts["{$root}/{$below}index.php"])) { return true; }
            }
            return false;
        };
        $code = static function (string $root) use ($scripts): bool {
            foreach ($scripts as $file => $script) {
                if (str_starts_with($file, "{$root}/") && ! str_contains($file, '/vendor/')) { return true; }
            }
            return false;
        };
        $state = static function (string $root): ?string {
            foreach (['storage', '.env'] as $name) {
                $target = is_link("{$root}/{$name}") ? realpath("{$root}/{$name}") : false;
                if ($target !== false) { return $target; }
            }
            return null;
        };
        $told = [];
        foreach (array_slice($roots, 0, 100, true) as $root => $how) {
            clearstatcache(true);
            $real = $sees ? realpath($root) : false;
            $told[] = [
                'path' => $root,
                'how' => $how,
                'real' => $real === false ? null : $real,
                // A directory that the pool may not list can still contain it.
                'gone' => $sees && $real === false && is_dir(dirname($root)) && is_executable(dirname($root)),
                'vendor' => $sees && ($vendor = realpath("{$root}/vendor")) !== false ? $vendor : null,
                'state' => $real === false ? null : $state($root),
                'entry' => $entry($root),
                'code' => $how !== 'opcache' || $code($root),
            ];
        }
        echo '%MARK%', json_encode([
            'scripts' => $count,
            'read' => is_array($status),
            'prepended' => (string) $call('ini_get', 'auto_prepend_file'),
            'roots' => $told,
        ], JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), '%MARK%';
        PHP;

    public function __construct(private WorkerScript $code = new WorkerScript) {}

    /**
     * @param list<string> $documentRoots absolute paths
     *
     * @throws FactUnavailable
     */
    public function ask(Address $address, array $documentRoots): ApplicationRoots
    {
        return ApplicationRoots::fromProbe(
            $this->code->told($address, strtr(self::CODE, ['%DIRECTORIES%' => var_export($documentRoots, true)])),
            $address,
        );
    }
}
