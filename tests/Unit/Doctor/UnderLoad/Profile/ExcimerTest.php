<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\UnderLoad\Profile\Excimer;
use Headroom\Host\Fpm\Address;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The command that installs excimer is the one of the system that the pool's PHP came from.
 */
final class ExcimerTest extends TestCase
{
    /** @return iterable<string, array{string, string, string, list<string>}> */
    public static function systems(): iterable
    {
        $ini = static fn (string $minor): array => ["/etc/php/{$minor}/fpm/php.ini"];

        yield 'Debian' => ['php-excimer', '8.2.36-1~deb12u1', '8.2.36', $ini('8.2')];
        yield 'Ubuntu' => ['php-excimer', '8.3.6-0ubuntu0.24.04.5', '8.3.6', $ini('8.3')];
        yield 'Sury on Debian' => ['php8.4-excimer', '8.4.1-1+0~20241121.7+debian12~1.gbp2eb52f', '8.4.1', $ini('8.4')];
        yield 'Sury on Ubuntu' => ['php8.3-excimer', '8.3.14-1+ubuntu22.04.1+deb.sury.org+1', '8.3.14', $ini('8.3')];
        yield 'the image of Docker' => ['docker-php-ext-enable', '', '8.2.1', ['', '/usr/local/etc/php/conf.d/a.ini']];
        yield 'another system' => ['pecl install excimer', '', '8.2.1', ['/etc/php.ini']];
    }

    /** @param list<string> $ini */
    #[Test]
    #[DataProvider('systems')]
    public function a_package_is_named_as_its_source_names_it(
        string $named,
        string $dpkg,
        string $php,
        array $ini,
    ): void {
        $minor = substr($php, 0, 3);
        $status = static fn (string $name, string $version): string => "Package: {$name}\nStatus: installed\n"
            ."Depends: libc6, php{$name}\nVersion: {$version}\nDescription: of {$version}\n\n";
        $packages = $status('php5.6-fpm', '5.6.40-1+deb.sury.org+1')
            .($dpkg === '' ? '' : $status("php{$minor}-fpm", $dpkg))
            .$status('php8.9-fpm', '8.9.1-1+deb.sury.org+1');
        $json = (string) json_encode(['version' => $php, 'sapi' => 'fpm-fcgi', 'ini_files' => $ini]);
        $runtime = PoolRuntime::fromProbe($json, Address::parse('/run/php.sock'));

        $command = (new Excimer($packages))->install($runtime);

        self::assertMatchesRegularExpression('/(?:\A|[ ])'.preg_quote($named, '/').'(?:\z|[ ])/', $command);
    }
}
