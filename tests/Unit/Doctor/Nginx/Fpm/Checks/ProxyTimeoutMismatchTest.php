<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Directives\ListenAddress;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Proxies in front of what a planted stack has not: another nginx, Octane, and what cannot be known.
 */
final class ProxyTimeoutMismatchTest extends TestCase
{
    private const INNER =
        'http { server { listen %s; fastcgi_read_timeout 90s; location / { fastcgi_pass unix:/a; } } }';

    private const OUTER = 'http { upstream u { server 127.0.0.1:8080; } server { location /a { proxy_pass %s; } } }';

    /** @return iterable<string, array{string, string, Status}> */
    public static function pairs(): iterable
    {
        yield 'the same address' => ['127.0.0.1:8080', 'http://127.0.0.1:8080', Status::Warn];
        yield 'any address' => ['8080', 'http://127.0.0.1:8080/path', Status::Warn];
        yield 'any address of IPv6' => ['[::]:8080', 'http://[::1]:8080', Status::Warn];
        yield 'by name' => ['*:8080', 'http://localhost:8080', Status::Warn];
        yield 'an upstream' => ['8080', 'http://u/x', Status::Warn];
        yield 'the port of the scheme' => ['80', 'http://127.0.0.1', Status::Warn];
        yield 'the port of TLS' => ['443 ssl', 'https://127.0.0.1', Status::Warn];
        yield 'a socket' => ['unix:/run/inner.sock', 'http://unix:/run/inner.sock:/x', Status::Warn];
        yield 'an address of this machine that both name' => ['10.0.0.5:80', 'http://10.0.0.5', Status::Warn];
        yield 'another port' => ['8081', 'http://127.0.0.1:8080', Status::Skipped];
        yield 'another machine' => ['8080', 'http://10.0.0.9:8080', Status::Skipped];
        yield 'what only a request tells' => ['8080', 'http://$backend', Status::Unknown];
    }

    #[Test]
    #[DataProvider('pairs')]
    public function the_nginx_behind_a_proxy_is_found_by_its_address(string $listen, string $pass, Status $status): void
    {
        $diagnosis = self::examined(
            [self::config(sprintf(self::OUTER, $pass)), self::config(sprintf(self::INNER, $listen))],
        );

        self::assertContains(
            $status,
            array_map(static fn (CheckResult $verdict): Status => $verdict->finding->status, $diagnosis->results),
        );
        self::assertCount($status === Status::Warn ? 1 : 0, $diagnosis->problems());
    }

    /** @param list<Status> $found */
    #[Test]
    #[TestWith(['keepalive 8; keepalive_timeout 70s;', '75s', [Status::Pass]])]
    #[TestWith(['keepalive 8; keepalive_timeout 75s;', '75s', [Status::Warn]])]
    #[TestWith(['keepalive 8; keepalive_timeout 75s;', '0', [Status::Pass]])]
    #[TestWith(['', '1s', []])]
    public function a_proxy_must_close_idle_connections_first(string $upstream, string $closes, array $found): void
    {
        $diagnosis = self::examined([
            self::config("http { upstream u { server 127.0.0.1:8080; {$upstream} }"
                .' server { location /a { proxy_pass http://u; } } }'),
            self::config("http { server { listen 8080; keepalive_timeout {$closes}; } }"),
        ]);
        $own = array_filter(
            $diagnosis->results,
            static fn (CheckResult $one): bool => str_contains($one->finding->subject, 'keepalive_timeout'),
        );

        self::assertSame($found, array_values(array_map(
            static fn (CheckResult $one): Status => $one->finding->status,
            $own,
        )));
    }

    #[Test]
    public function an_nginx_that_cannot_be_read_may_be_the_one(): void
    {
        $diagnosis = self::examined([self::config(sprintf(self::OUTER, 'http://127.0.0.1:8080')), null]);

        self::assertGreaterThan(0, $diagnosis->count(Status::Unknown));
        self::assertSame(0, $diagnosis->count(Status::Pass) + count($diagnosis->problems()));
    }

    /** @return iterable<string, array{mixed, string, string, Status}> */
    public static function octanes(): iterable
    {
        yield 'it ends first' => [30, '60s', 'http://127.0.0.1:8000', Status::Pass];
        yield 'it ends later' => [90, '60s', 'http://127.0.0.1:8000', Status::Warn];
        yield 'it ends nothing' => [0, '60s', 'http://127.0.0.1:8000', Status::Warn];
        yield 'the proxy is impatient' => [30, '20s', 'http://localhost:8000', Status::Warn];
        yield 'something else' => [90, '60s', 'http://127.0.0.1:9200', Status::Skipped];
    }

    #[Test]
    #[DataProvider('octanes')]
    public function octane_behind_a_proxy_is_compared(mixed $seconds, string $read, string $pass, Status $status): void
    {
        $app = new Application(
            '/app',
            '12.0.0',
            'production',
            false,
            [],
            ['octane' => ['max_execution_time' => $seconds]],
            ['laravel/octane' => 'v2.5.0'],
        );
        $diagnosis = self::examined(
            [self::config("http { proxy_read_timeout {$read}; server { location / { proxy_pass {$pass}; } } }")],
            $app,
        );

        self::assertSame(
            [$status],
            array_map(static fn (CheckResult $verdict): Status => $verdict->finding->status, $diagnosis->results),
        );
    }

    #[Test]
    public function an_address_that_is_none_takes_nothing(): void
    {
        self::assertNull(ListenAddress::at('a b', 80));
        self::assertNull(ListenAddress::at('', 80));
    }

    /** @param list<?NginxConfig> $configs */
    private static function examined(array $configs, ?Application $app = null): Report
    {
        $servers = (new WebServers)->nginx(
            array_combine(array_map(static fn (int $at): int => 10 + 10 * $at, array_keys($configs)), $configs),
        );

        return Examined::by('N21', [
            NginxServers::class => static fn (): NginxServers => $servers,
        ] + ($app === null ? [] : [Application::class => static fn (): Application => $app]));
    }

    private static function config(string $text): NginxConfig
    {
        return Configs::from($text);
    }
}
