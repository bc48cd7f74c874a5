<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Status\JsonFields;
use Headroom\Host\Fpm\Address;

/**
 * PHP as the workers of a pool have it, which the command line knows nothing about.
 *
 * @internal
 */
final readonly class PoolRuntime
{
    /**
     * @param string $source who said it
     * @param ?int $pid of the worker that answered, null where getmypid() is among disable_functions
     * @param int $realpathCacheBytes used in this one worker: every worker has its own
     * @param list<string> $extensions in lower case, with Zend extensions
     * @param array<string, string> $ini values as ini_get() tells them, only of settings that exist; those of opcache
     *                                   as its configuration does: memory_consumption in bytes,
     *                                   max_wasted_percentage as a share of 1
     * @param ?string $opcacheUnknown why opcache told nothing
     * @param ?PreloadedCode $preloaded null where nothing is, or opcache tells nothing
     * @param ?list<string> $iniFiles that PHP-FPM has read when it started: php.ini, '' where there was none, and those
     *     of its directories; null where PHP does not tell
     */
    private function __construct(
        public string $source,
        public string $phpVersion,
        public string $sapi,
        public ?int $pid,
        public int $realpathCacheBytes,
        public array $extensions,
        private array $ini,
        public ?OpcacheStatus $opcache,
        public ?string $opcacheUnknown,
        public ?PreloadedCode $preloaded,
        public ?array $iniFiles,
    ) {}

    /**
     * @param string $json what the probe printed
     *
     * @throws FactUnavailable
     */
    public static function fromProbe(string $json, Address $address): self
    {
        $values = json_decode($json, true);
        $fields = new JsonFields(is_array($values) ? $values : []);
        $version = $fields->text('version');
        $sapi = $fields->text('sapi');

        if ($version === null || $sapi === null) {
            throw UnreadableRuntime::garbage($address, $json);
        }

        $extensions = array_values(array_unique(array_map(strtolower(...), $fields->texts('extensions'))));
        $status = $fields->object('opcache');
        $directives = $fields->object('configuration')->strings('directives');

        // Where it keeps files on disk only there is no memory that it could tell of.
        $tells = $status->has('opcache_enabled') && $status->truth('file_cache_only') !== true;

        return new self(
            "the pool at {$address->text()}",
            $version,
            $sapi,
            $fields->count('pid'),
            $fields->count('realpath_cache') ?? 0,
            $extensions,
            $directives + $fields->strings('ini'),
            $tells ? OpcacheStatus::fromFields($status, $fields->count('now')) : null,
            $tells ? null : self::whyNot($extensions, $fields),
            $status->has('preload_statistics')
                ? PreloadedCode::fromFields($status->object('preload_statistics'), $fields->object('preload'))
                : null,
            $fields->has('ini_files') ? $fields->texts('ini_files') : null,
        );
    }

    public function hasExtension(string $name): bool
    {
        return in_array(strtolower($name), $this->extensions, true);
    }

    /**
     * Null where nothing is preloaded.
     *
     * @throws FactUnavailable where opcache does not tell
     */
    public function preloaded(): ?PreloadedCode
    {
        return $this->opcache === null && ($this->ini('opcache.preload')->value ?? '') !== ''
            ? throw UnreadableRuntime::noOpcache($this->source, (string) $this->opcacheUnknown)
            : $this->preloaded;
    }

    /** @throws FactUnavailable if opcache reports nothing */
    public function opcacheStatus(): OpcacheStatus
    {
        return $this->opcache ?? throw UnreadableRuntime::noOpcache($this->source, (string) $this->opcacheUnknown);
    }

    public function evidence(string $setting): Evidence
    {
        return $this->observed($setting, $this->ini($setting)->value ?? 'unknown');
    }

    public function observed(string $what, string $value): Evidence
    {
        return new Evidence($what, $value, $this->source);
    }

    /** Null if this PHP has no such setting, mostly because its extension is not loaded. */
    public function ini(string $name): ?PhpSetting
    {
        return array_key_exists($name, $this->ini) ? new PhpSetting($name, $this->ini[$name], $this->source) : null;
    }

    /** @param list<string> $extensions */
    private static function whyNot(array $extensions, JsonFields $fields): string
    {
        $error = $fields->text('opcache_error');

        return match (true) {
            ! in_array('zend opcache', $extensions, true) => 'opcache is not loaded in this pool',
            $error !== null => $error,
            $fields->object('opcache')->truth(
                'file_cache_only',
            ) === true => 'it keeps compiled files on disk only (opcache.file_cache_only)',
            default => 'opcache is loaded but off in this pool: opcache.enable='
                .($fields->strings('ini')['opcache.enable'] ?? ''),
        };
    }
}
