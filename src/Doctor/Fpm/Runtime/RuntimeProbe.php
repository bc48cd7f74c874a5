<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Host\Fpm\Address;

/**
 * Runs a script in a worker of the pool that reports opcache and PHP's settings, because the command line has its own.
 * opcache does not cache files that are younger than opcache.file_update_protection (2 seconds), so the script does not
 * stay in the cache.
 *
 * @internal
 */
final readonly class RuntimeProbe implements RuntimeReader
{
    // Settings that the checks need; those of opcache come with its configuration.
    private const INI = [
        'allow_url_fopen', 'auto_prepend_file', 'default_socket_timeout', 'disable_functions', 'display_errors',
        'error_log', 'error_reporting',
        'log_errors', 'max_execution_time', 'max_input_time', 'memory_limit', 'mysqli.allow_persistent',
        'opcache.enable', 'open_basedir',
        'output_buffering', 'pcov.enabled', 'pgsql.allow_persistent', 'post_max_size', 'realpath_cache_size',
        'realpath_cache_ttl',
        'redis.pconnect.connection_limit', 'redis.pconnect.pool_pattern', 'redis.pconnect.pooling_enabled',
        'session.gc_divisor',
        'session.gc_probability', 'session.lazy_write', 'session.save_handler', 'session.save_path',
        'upload_max_filesize', 'xdebug.mode',
        'zend.assertions', 'zend.enable_gc',
    ];

    // The output of an auto_prepend_file is before the mark.
    private const CODE = <<<'PHP'
        <?php
        $error = null;
        set_error_handler(static function (int $level, string $message) use (&$error): bool {
            $error = $message;

            return true;
        });
        $call = static fn (string $function, mixed ...$arguments): mixed =>
            function_exists($function) ? $function(...$arguments) : null;
        $opcache = $call('opcache_get_status', false);
        if ($opcache === null) { $error = 'opcache_get_status() is among disable_functions or not there'; }
        $configuration = $call('opcache_get_configuration');
        $reason = $error;
        // The files as the pool sees them, with its permissions. With open_basedir it may see none.
        $preloaded = is_array($opcache) ? $opcache['preload_statistics']['scripts'] ?? [] : [];
        $start = is_array($opcache) ? $opcache['opcache_statistics']['start_time'] ?? null : null;
        $looks = $start !== null
            && function_exists('file_exists')
            && function_exists('filemtime')
            && $call('ini_get', 'open_basedir') === '';
        $isChanged = static fn (string $file): bool =>
            $file[0] === '/' && (! file_exists($file) || filemtime($file) > $start);
        $changed = $looks ? array_filter(array_slice($preloaded, 0, 20000), $isChanged) : null;
        $script = $looks ? (string) ($configuration['directives']['opcache.preload'] ?? '') : '';
        // A process caches the target of a link for two minutes (realpath_cache_ttl).
        for ($path = $script; $path !== dirname($path); $path = dirname($path)) {
            $call('clearstatcache', true, $path);
        }
        $script = str_starts_with($script, '/') && function_exists('realpath') ? realpath($script) : null;
        // opcache.preload may name a file outside the releases, which requires the list of one release. The paths of
        // the preloaded files then name that release.
        $release = null;
        foreach ($looks && function_exists('is_link') && function_exists('realpath') ? $preloaded : [] as $file) {
            if (preg_match('~\A(/.*)/releases/([^/]+)/(.+)\z~', $file, $m) !== 1) { continue; }
            foreach (['current', 'live', 'release'] as $link) {
                $call('clearstatcache', true, "{$m[1]}/{$link}");
                $leads = is_link("{$m[1]}/{$link}") ? (string) realpath("{$m[1]}/{$link}") : '';
                if (str_starts_with($leads, "{$m[1]}/releases/") && $leads !== "{$m[1]}/releases/{$m[2]}") {
                    $release = [$file, "{$leads}/{$m[3]}"];
                }
            }
            break;
        }
        $loaded = $call('php_ini_loaded_file');
        $scanned = $call('php_ini_scanned_files');
        $files = $loaded === null || $scanned === null
            ? null
            : [(string) $loaded, ...preg_split('/[\s,]+/', (string) $scanned, -1, PREG_SPLIT_NO_EMPTY)];
        $ini = [];
        foreach (%INI% as $name) {
            $value = $call('ini_get', $name);
            if (is_string($value)) { $ini[$name] = $value; }
        }
        echo '%MARK%', json_encode([
            'version' => PHP_VERSION,
            'sapi' => PHP_SAPI,
            'pid' => $call('getmypid'),
            'realpath_cache' => $call('realpath_cache_size'),
            'extensions' => [...get_loaded_extensions(), ...get_loaded_extensions(true)],
            'ini' => $ini,
            'now' => $_SERVER['REQUEST_TIME'],
            'opcache' => $opcache,
            'opcache_error' => $reason,
            'preload' => $changed === null ? null : [
                'changed' => count($changed),
                'first' => current($changed),
                'script' => $script,
                'release' => $release,
            ],
            'configuration' => $configuration,
            ...($files === null ? [] : ['ini_files' => $files]),
        ], JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), '%MARK%';
        PHP;

    public function __construct(private WorkerScript $code = new WorkerScript) {}

    public function ask(Address $address): PoolRuntime
    {
        return PoolRuntime::fromProbe(
            $this->code->told($address, strtr(self::CODE, ['%INI%' => var_export(self::INI, true)])),
            $address,
        );
    }

    public function roots(Address $address, array $documentRoots): ApplicationRoots
    {
        return (new ApplicationRootsProbe($this->code))->ask($address, $documentRoots);
    }
}
