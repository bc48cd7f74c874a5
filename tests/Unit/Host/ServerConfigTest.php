<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host;

use Closure;
use Headroom\Dev\DelayProxy;
use Headroom\Dev\Nginx\ProxyConfig;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\Nginx\SiteConfig;
use Headroom\Host\WebConfig;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\UnixUser;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ServerConfigTest extends TestCase
{
    #[Test]
    public function ini_values_become_quoted_flags(): void
    {
        $ini = new IniSettings([
            'opcache.enable' => true,
            'display_errors' => false,
            'memory_limit' => '64M',
            'error_log' => '/tmp/a b;c',
        ]);

        self::assertSame(
            [
                '-d', 'opcache.enable="1"', '-d', 'display_errors="0"', '-d', 'memory_limit="64M"', '-d',
                'error_log="/tmp/a b;c"',
            ],
            $ini->flags(),
        );
    }

    #[Test]
    public function a_pool_names_its_user_only_when_it_has_one(): void
    {
        $account = UnixUser::named('root');

        self::assertStringNotContainsString("\nuser =", (new PoolConfig(3))->text('/tmp/s', '/tmp/l'));
        self::assertStringContainsString(
            "\nuser = root\ngroup = root\nlisten.owner = root\n",
            (new PoolConfig(3, $account))->text('/tmp/s', '/tmp/l'),
        );
    }

    #[Test]
    public function a_pool_has_just_the_limits_it_is_given(): void
    {
        $text = (new PoolConfig(50, null, 7, '/fpm-status'))->text('/tmp/s', '/tmp/l');

        self::assertStringContainsString("\npm = static\npm.max_children = 50\n", $text);
        self::assertStringContainsString("\nrequest_terminate_timeout = 7\npm.status_path = /fpm-status\n", $text);
        self::assertStringNotContainsString(
            'request_terminate_timeout',
            (new PoolConfig(50))->text('/tmp/s', '/tmp/l'),
        );
    }

    #[Test]
    public function a_site_writes_an_access_log_only_when_asked(): void
    {
        self::assertStringContainsString(
            "\naccess_log off;\n",
            (new SiteConfig('/srv', '/srv/index.php', '/tmp/s'))->text('/tmp/d', 20_000),
        );
        self::assertStringContainsString(
            "\naccess_log \"/tmp/d/access.log\" combined;\n",
            (new SiteConfig('/srv', '/srv/index.php', '/tmp/s', accessLog: true))->text('/tmp/d', 20_000),
        );
    }

    /** @param Closure(): mixed $make */
    #[Test]
    #[DataProvider('refused')]
    public function a_value_that_a_server_would_misread_is_refused(Closure $make, string $shown): void
    {
        $this->expectException(InvalidServerConfig::class);
        $this->expectExceptionMessage($shown);

        $make();
    }

    /**
     * @return iterable<string, array{Closure(): mixed, string}> the last is a value,
     *     a limit or a name that the message shows
     */
    public static function refused(): iterable
    {
        yield 'quote in an ini value' => [
            static fn () => (new IniSettings(['error_log' => 'a"b']))->flags(), '\'a"b\'',
        ];
        yield 'variable in an ini value' => [
            static fn () => (new IniSettings(['error_log' => '${HOME}']))->flags(), 'error_log',
        ];
        yield 'line end in an ini name' => [static fn () => (new IniSettings(["a\nb" => '1']))->flags(), '\'a\nb\''];
        yield 'socket path over the limit' => [
            static fn () => (new PoolConfig(1))->text('/'.str_repeat('s', 107), '/l'), ' 107 ',
        ];
        yield 'negative time limit' => [static fn () => new PoolConfig(1, requestTerminateSeconds: -5), ' -5'];
        yield 'status path with a line end' => [static fn () => new PoolConfig(1, statusPath: "/a\n"), '\'/a\n\''];
        yield 'nginx variable in a path' => [
            static fn () => new SiteConfig('/srv/$uri', '/srv/index.php', '/s'), '\'/srv/$uri\'',
        ];
        yield 'no port of a server behind nginx' => [static fn () => new ProxyConfig(['127.0.0.1']), "'127.0.0.1'"];
        yield 'directive behind a server' => [static fn () => new ProxyConfig(['unix:/s; evil']), "'unix:/s; evil'"];
        yield 'quote in a path' => [
            static fn () => new SiteConfig('/srv', '/srv/"; evil "', '/s'), '\'/srv/"; evil "\'',
        ];
        yield 'front controller that is not there' => [
            static fn () => new WebConfig('/nowhere/index.php'), "'/nowhere/index.php'",
        ];
        yield 'no worker' => [static fn () => new WebConfig(__FILE__, 0), ' 1000'];
        yield 'unknown user' => [static fn () => UnixUser::named('no-such-user'), "'no-such-user'"];
        yield 'negative round trip' => [static fn () => DelayProxy::start('127.0.0.1', 1, -1.0), ' 10000'];
    }
}
