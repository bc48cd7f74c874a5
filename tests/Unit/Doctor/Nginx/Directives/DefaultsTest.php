<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Directives\Defaults;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\NginxBuild;
use Headroom\Doctor\Nginx\NginxCommandLine;
use Headroom\Doctor\Nginx\NginxVersion;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class DefaultsTest extends TestCase
{
    #[Test]
    public function a_version_is_that_of_nginx_also_in_openresty_and_that_of_no_fork(): void
    {
        $numbers = array_map(static fn (string $text): ?string => NginxVersion::fromText($text)?->number, [
            "nginx version: nginx/1.22.1\n", 'nginx version: openresty/1.21.4.1',
            'nginx version: nginx/1.25.3 (nginx-plus-r31)', 'nginx version: freenginx/1.27.1',
            'nginx version: nginx/1.22.1 (Ubuntu)', 'no',
        ]);

        self::assertSame(['1.22.1', '1.21.4', '1.25.3', null, '1.22.1', null], $numbers);
    }

    #[Test]
    #[DataProvider('changed')]
    public function a_default_is_that_of_the_version(
        string $version,
        string $requests,
        string $keepalive,
        string $time,
    ): void {
        $defaults = new Defaults(NginxVersion::fromText("nginx version: nginx/{$version}"));

        self::assertSame("keepalive_requests {$requests}", $defaults->of('keepalive_requests')->text());
        self::assertSame("keepalive {$keepalive}", $defaults->ofUpstream('keepalive')->text());
        self::assertSame($time, $defaults->ofUpstream('keepalive_time')->text());
        self::assertStringEndsWith(" {$version}", $defaults->of('gzip')->source);
    }

    /** @return iterable<string, array{string, string, string, string}> */
    public static function changed(): iterable
    {
        yield 'long ago' => ['1.19.9', '100', '0', 'keepalive_time'];
        yield 'a hundred became a thousand' => ['1.19.10', '1000', '0', 'keepalive_time 1h'];
        yield 'before connections to upstreams are kept unasked' => ['1.29.6', '1000', '0', 'keepalive_time 1h'];
        yield 'since' => ['1.29.7', '1000', '32 local', 'keepalive_time 1h'];
    }

    #[Test]
    public function without_a_version_only_unchanged_defaults_are_known(): void
    {
        $defaults = new Defaults(null);
        $unknown = $defaults->ofUpstream('keepalive');

        self::assertEquals(NginxSetting::byDefault('gzip', 'off', null), $defaults->of('gzip'));
        self::assertFalse($unknown->isKnown());
        self::assertStringContainsString('nginx -v', $unknown->source);
    }

    #[Test]
    public function a_directive_without_a_default_here_is_a_mistake_of_ours(): void
    {
        $this->expectException(LogicException::class);

        (new Defaults(null))->of('fastcgi_pass');
    }

    #[Test]
    public function a_directive_that_an_old_nginx_lacks_is_named(): void
    {
        $version = NginxVersion::fromText('nginx version: nginx/1.18.0');
        self::assertNotNull($version);
        $setting = (new Defaults($version))->of('keepalive_time');

        self::assertEquals(NginxSetting::lacking('keepalive_time', $version), $setting);
        self::assertSame([], $setting->arguments);
        self::assertStringContainsString('1.18.0', $setting->source);
        self::assertStringContainsString('keepalive_time', $setting->source);
    }

    #[Test]
    public function a_setting_reads_its_value(): void
    {
        $setting = NginxSetting::byDefault('a', '16k ON 3', null);

        self::assertSame(
            [16384, null, null, true, true, false],
            [
                $setting->bytes(),
                $setting->number(),
                $setting->milliseconds(),
                $setting->is('16K'),
                $setting->has('3'),
                $setting->has('4'),
            ],
        );
    }

    /** @param list<string> $options */
    #[Test]
    #[DataProvider('lines')]
    public function the_command_line_is_read_from_the_title(string $title, array $options, string $file): void
    {
        $started = NginxCommandLine::fromTitle($title);
        $build = NginxBuild::fromText(
            "nginx version: nginx/1.22.1\nconfigure arguments: --with-cc-opt='-g --prefix=/no'"
                ." --prefix=/usr/share/nginx --conf-path=/etc/nginx/nginx.conf --with-x\n",
        );

        self::assertSame($options, $started->options());
        self::assertSame($file, $build?->configFile($started));
    }

    /** @return iterable<string, array{string, list<string>, string}> */
    public static function lines(): iterable
    {
        yield 'Debian' => [
            '/usr/sbin/nginx -g daemon on; master_process on;',
            ['-g', 'daemon on; master_process on;'],
            '/etc/nginx/nginx.conf',
        ];
        yield 'nothing' => ['nginx', [], '/etc/nginx/nginx.conf'];
        yield 'all of them' => [
            '/opt/nginx -e /l -p /srv/ -c conf/a.conf -g user a;',
            ['-p', '/srv/', '-c', 'conf/a.conf', '-g', 'user a;'],
            '/srv/conf/a.conf',
        ];
        yield 'without blanks' => ['nginx -c/x/y.conf -q', ['-c', '/x/y.conf'], '/x/y.conf'];
        yield 'relative to the prefix it was built with' => [
            'nginx -c a.conf', ['-c', 'a.conf'], '/usr/share/nginx/a.conf',
        ];
    }

    #[Test]
    public function an_answer_that_is_not_of_nginx_is_null(): void
    {
        self::assertNull(NginxBuild::fromText('Apache/2.4'));
        self::assertSame(
            '/usr/local/nginx/conf/nginx.conf',
            NginxBuild::fromText('configure arguments:')?->configFile(new NginxCommandLine('nginx')),
        );
    }
}
