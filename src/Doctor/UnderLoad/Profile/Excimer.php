<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Fpm\Runtime\PoolRuntime;

/**
 * The command that installs the extension for a pool's PHP, by the directory of its ini files.
 *
 * @internal
 */
final readonly class Excimer
{
    public const NAME = 'excimer';

    /** @param string $packages the status file of dpkg */
    public function __construct(private string $packages) {}

    public static function here(): self
    {
        return new self((string) @file_get_contents('/var/lib/dpkg/status'));
    }

    public function install(PoolRuntime $runtime): string
    {
        $minor = implode('.', array_slice(explode('.', $runtime->phpVersion), 0, 2));

        return match (true) {
            self::reads($runtime, '/etc/php/') => $this->fromDebian($minor),
            self::reads($runtime, '/usr/local/etc/php/') => 'pecl install excimer && docker-php-ext-enable excimer',
            default => 'sudo pecl install excimer   # then extension=excimer in a php.ini of the pool',
        };
    }

    /** Debian and Ubuntu build one package for their own PHP; packages.sury.org has one for each version. */
    private function fromDebian(string $minor): string
    {
        $quoted = preg_quote($minor, '/');
        $ofSury = "/^Package: php{$quoted}-fpm\n(?:.+\n)*?Version: \S*(?:sury\.org|\+debian)/m";
        $isSurys = preg_match($ofSury, $this->packages) === 1;

        return 'sudo apt-get install -y '.($isSurys ? "php{$minor}-excimer" : 'php-excimer');
    }

    private static function reads(PoolRuntime $runtime, string $directory): bool
    {
        $isIn = static fn (string $file): bool => str_starts_with($file, $directory);

        return array_filter($runtime->iniFiles ?? [], $isIn) !== [];
    }
}
