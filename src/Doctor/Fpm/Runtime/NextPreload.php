<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\IniFiles;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;

/**
 * The preload settings for the next start of a PHP-FPM.
 *
 * @internal
 */
final readonly class NextPreload
{
    /**
     * @param PoolSettings $ini from php.ini, each with its line
     * @param ?PhpSetting $script null if nothing will be preloaded
     * @param string $user '' if none is set
     * @param list<array{string, int, string}> $lines that set opcache.preload: file, line number and text
     */
    private function __construct(
        public PoolSettings $ini,
        public ?PhpSetting $script,
        public string $user,
        public bool $isRoot,
        public array $lines,
    ) {}

    /** @throws FactUnavailable */
    public static function of(RunningMaster $master, PoolRuntime $runtime): self
    {
        $files = $runtime->iniFiles ?? throw FactUnavailable::because(
            "The PHP of {$runtime->source} does not report its ini files.",
            'php_ini_loaded_file() and php_ini_scanned_files() in a script of the pool',
        );
        $here = array_filter($files, static fn (string $file): bool => $file === '' || $master->hasHere($file));

        if ($master->isElsewhere || count($here) < count($files)) {
            throw FactUnavailable::because(
                "PHP-FPM {$master->pid} has another file system than the doctor.",
                'sudo php-fpm -t   # where it runs',
            );
        }

        $ini = IniFiles::read($files);
        $script = $ini->setting('opcache.preload');
        $isOn = $runtime->hasExtension('Zend OPcache') && $ini->setting('opcache.enable')?->truth() !== false;
        $owner = $master->owner();

        return new self(
            $ini,
            $isOn && $script?->value !== '' ? $script : null,
            $ini->setting('opcache.preload_user')->value ?? '',
            $owner === null
                ? throw FactUnavailable::because(
                    "Whose PHP-FPM {$master->pid} is cannot be seen.",
                    "ps -o user= -p {$master->pid}",
                )
                : $owner === 0,
            IniFiles::linesSetting($files, 'opcache.preload'),
        );
    }

    /**
     * Null if unknown: a path relative to the working directory or include_path, or one without permission.
     */
    public function isThere(): ?bool
    {
        $path = $this->script->value ?? '';
        clearstatcache();

        if (! str_starts_with($path, '/') || file_exists($path)) {
            return str_starts_with($path, '/') ? true : null;
        }

        $above = dirname($path);

        while (! file_exists($above) && $above !== '/') {
            $above = dirname($above);
        }

        // Without permission for a directory, its files seem to be missing.
        return is_executable($above) ? false : null;
    }

    /** Settings with which root does not start. */
    public function lacksUser(): bool
    {
        return $this->isRoot
            && ($this->user === '' || (function_exists('posix_getpwnam') && posix_getpwnam($this->user) === false));
    }
}
