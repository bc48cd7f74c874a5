<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Status\JsonFields;
use Headroom\Host\Fpm\Address;

/**
 * The PHP of a pool's workers, which differs from the command line's.
 *
 * @internal
 */
final readonly class PoolRuntime
{
    /**
     * @param string $source of the values
     * @param ?int $pid of the worker that answered, null if disable_functions contains getmypid()
     * @param int $realpathCacheBytes used in this worker; each worker has its own
     * @param list<string> $extensions in lower case, with Zend extensions
     * @param array<string, string> $ini values of ini_get(), for existing settings only; those of opcache from its
     *     configuration: memory_consumption in bytes, max_wasted_percentage as a share of 1
     * @param ?string $opcacheUnknown the reason why opcache is unreadable
     * @param ?PreloadedCode $preloaded null if nothing is preloaded, or opcache is unreadable
     * @param ?list<string> $iniFiles that PHP-FPM has read at its start: php.ini, or '' without one, and those of its
     *     directories; null if unknown
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
     * @param string $json the output of the probe
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

        // With a cache on disk only, there is no memory to report.
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
     * Null if nothing is preloaded.
     *
     * @throws FactUnavailable if opcache is unreadable
     */
    public function preloaded(): ?PreloadedCode
    {
        return $this->opcache === null && ($this->ini('opcache.preload')->value ?? '') !== ''
            ? throw UnreadableRuntime::noOpcache($this->source, (string) $this->opcacheUnknown)
            : $this->preloaded;
    }

    /** What its PHP-FPM has preloaded. */
    public function preloads(): string
    {
        $symbols = $this->preloaded->symbols ?? 0;

        return match (true) {
            $this->opcache === null => "unknown: {$this->opcacheUnknown}",
            $symbols === 0 => 'nothing',
            default => "{$symbols} classes and functions, ".count($this->preloaded->files ?? []).' files',
        };
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
