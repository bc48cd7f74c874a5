<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\NginxFacts;
use Headroom\Doctor\Nginx\NginxVersion;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class NginxFactsTest extends TestCase
{
    /** As the article set it up, with its mistake. */
    private const ARTICLE = <<<'NGINX'
        worker_processes auto;
        worker_rlimit_nofile 100000;
        events { worker_connections 4000; multi_accept on; }
        http {
            keepalive_requests 2048;
            fastcgi_read_timeout 60;
            upstream phpfpm {
                server unix:/run/php/php-fpm.sock;
                keepalive 30;
            }
            server {
                listen 80 default_server backlog=4096;
                fastcgi_read_timeout 30s;
                location / { try_files $uri $uri/ /index.php?$query_string; }
                location ~ \.php$ {
                    fastcgi_pass phpfpm;
                    fastcgi_param QUERY_STRING $query_string;
                    fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
                    fastcgi_keep_conn on;
                    fastcgi_buffers 16 16k;
                    fastcgi_buffer_size 32k;
                }
            }
        }
        NGINX;

    #[Test]
    public function the_process_is_described(): void
    {
        $facts = self::facts(self::ARTICLE);

        self::assertSame(
            [8, 'auto', '/etc/nginx/nginx.conf:1'],
            [$facts->workers(), $facts->workerProcesses()->value(), $facts->workerProcesses()->source],
        );
        self::assertSame(4000, $facts->workerConnections()->number());
        self::assertSame(100_000, $facts->workerRlimitNofile()?->number());
        $bare = self::facts('events {}');
        self::assertSame(
            [1, 512, null],
            [$bare->workers(), $bare->workerConnections()->number(), $bare->workerRlimitNofile()],
        );
        self::assertSame(self::byDefault(), $bare->workerConnections()->source);
        self::assertNull(self::facts('worker_processes many;')->workers());
    }

    #[Test]
    public function a_pass_to_fpm_has_its_settings_and_their_places(): void
    {
        $pass = self::pass(self::ARTICLE);

        self::assertSame(
            ['phpfpm', 'phpfpm', 'phpfpm'],
            [$pass->address, $pass->targets->known[0]->name, $pass->targets->upstreams()[0]->name],
        );
        self::assertSame(['on', '/etc/nginx/nginx.conf:19'], [$pass->keepConn->value(), $pass->keepConn->source]);
        self::assertSame(
            [30_000, '/etc/nginx/nginx.conf:13'],
            [$pass->readTimeout->milliseconds(), $pass->readTimeout->source],
        );
        self::assertSame(
            [60_000, self::byDefault()],
            [$pass->connectTimeout->milliseconds(), $pass->connectTimeout->source],
        );
        self::assertSame(['error', 'timeout'], $pass->nextUpstream->arguments);
        self::assertSame('$document_root$fastcgi_script_name', $pass->scriptFilename?->argument(1));
        self::assertSame(16 * 16_384 + 32_768, $pass->bufferedBytes());
        self::assertSame('off', $pass->cache->value());
    }

    #[Test]
    public function an_upstream_inherits_nothing(): void
    {
        $upstream = self::facts(
            "http {\nkeepalive_requests 5;\nkeepalive_timeout 6;\nupstream a {\nserver x:1;"
                ." server y:2 backup;\nkeepalive 30; keepalive_timeout 5s;\n}\n}",
        )->upstreams()[0];

        self::assertSame(
            ['a', ['x:1', 'y:2'], 30],
            [$upstream->name, $upstream->addresses(), $upstream->keepalive->number()],
        );
        self::assertSame(
            [1000, self::byDefault()],
            [$upstream->keepaliveRequests->number(), $upstream->keepaliveRequests->source],
        );
        self::assertSame(
            [5000, '/etc/nginx/nginx.conf:6'],
            [$upstream->keepaliveTimeout->milliseconds(), $upstream->keepaliveTimeout->source],
        );
        self::assertSame(3_600_000, $upstream->keepaliveTime->milliseconds());
    }

    /** @param list<string> $names */
    #[Test]
    #[DataProvider('targets')]
    public function where_a_pass_leads_is_told_or_not_known(
        string $address,
        array $names,
        bool $isUpstream,
        bool $isWhole,
    ): void {
        $pass = self::pass("http { upstream Php { server a; } server { location / { fastcgi_pass {$address}; } } }");

        self::assertSame(
            $names,
            array_map(static fn (PassTarget $target): string => $target->name, $pass->targets->known),
        );
        self::assertSame([$isUpstream, $isWhole], [$pass->targets->upstreams() !== [], $pass->targets->rest === null]);
        self::assertNull($pass->scriptFilename);
    }

    /**
     * @return iterable<string, array{string, list<string>, bool, bool}> what is passed to, names, whether an upstream
     *     is among them, whether these are all
     */
    public static function targets(): iterable
    {
        yield 'a socket' => ['unix:/run/php.sock', ['unix:/run/php.sock'], false, true];
        yield 'an address' => ['127.0.0.1:9000', ['127.0.0.1:9000'], false, true];
        yield 'an upstream in another case' => ['php', ['php'], true, true];
        yield 'a name that is none' => ['php2', ['php2'], false, true];
        yield 'a variable' => ['$backend', [], false, false];
        yield 'a variable in a path' => ['"unix:/run/${user}.sock"', [], false, false];
    }

    #[Test]
    public function directives_that_add_up_are_replaced_as_a_whole(): void
    {
        $config = 'http { fastcgi_param SCRIPT_FILENAME /a; fastcgi_param B b; server { location /1 { fastcgi_pass '
            .'x:1; } location /2 { fastcgi_param B c; fastcgi_pass x:1; '
            .'location /3 { if ($a) { fastcgi_pass x:1; fastcgi_param SCRIPT_FILENAME /d; fastcgi_param SCRIPT_FILENAME'
            .' /e; } } } } }';

        self::assertSame(
            ['/a', null, '/e'],
            array_map(
                static fn (FastcgiPass $pass): ?string => $pass->scriptFilename?->argument(1),
                self::facts($config)->passes(),
            ),
        );
    }

    #[Test]
    public function settings_of_servers_and_locations_are_listed_once_for_each_place(): void
    {
        $config = "http {\ngzip off;\nserver {\ngzip on;\nlocation /a {}\nlocation /b { location /c {\ngzip off;"
            ." } }\n}\nserver {}\n}";

        self::assertEqualsCanonicalizing(
            ['gzip on 4', 'gzip off 2', 'gzip off 7'],
            array_map(
                static fn (NginxSetting $setting): string => $setting->text().' '
                    .substr($setting->source, strlen('/etc/nginx/nginx.conf:')),
                self::facts($config)->settings('gzip'),
            ),
        );
        self::assertSame(
            [self::byDefault()],
            array_map(
                static fn (NginxSetting $setting): string => $setting->source,
                self::facts($config)->settings('gzip_static'),
            ),
        );
    }

    #[Test]
    public function listens_have_their_port_and_queue(): void
    {
        $listens = self::facts(
            'http { server { listen 80 backlog=4096 reuseport; listen [::]:443 ssl; listen example.com; listen unix:/s;'
                .' listen [::1]; } server { listen 127.0.0.1:8080; } server {} }',
        )->listens();

        self::assertSame(
            [
                ['*:80', 4096, true, true, false],
                ['[::]:443', 511, false, false, true],
                ['example.com:80', 511, false, false, false],
                ['unix:/s', 511, false, false, false],
                ['[::1]:80', 511, false, false, false],
                ['127.0.0.1:8080', 511, false, false, false],
                ['*:80', 511, false, false, false],
            ],
            array_map(
                static fn (Listen $listen): array
                    => [$listen->address, $listen->backlog, $listen->backlogIsSet, $listen->reuseport, $listen->ssl],
                $listens,
            ),
        );
        self::assertNull($listens[6]->directive);
    }

    #[Test]
    public function log_formats_tell_which_timings_they_lack(): void
    {
        $facts = self::facts(
            "http { log_format t escape=json '\$request \$request_time' '"
                ." \${upstream_connect_time}\$upstream_header_time'\n ' \$upstream_response_time';"
                ." log_format u '\$request_times'; }",
        );

        self::assertSame([], $facts->logFormat('t')?->missingTimings());
        self::assertCount(4, $facts->logFormat('u')?->missingTimings() ?? []);
        self::assertCount(4, $facts->logFormat('combined')?->missingTimings() ?? []);
        self::assertNull($facts->logFormat('none'));
    }

    #[Test]
    public function access_logs_are_those_that_are_written(): void
    {
        $facts = self::facts(
            'http { access_log /never; server { access_log /a main buffer=64k flush=5s; access_log /b.gz combined gzip;'
                .' location /x { access_log off; } location /y { access_log /$host.log if=$z;'
                .' } } server { access_log syslog:server=l buffer=1k; } }',
        );

        self::assertEqualsCanonicalizing(
            [
                ['/a', 'main', 65_536, false, true],
                ['/b.gz', 'combined', 65_536, false, true],
                ['/$host.log', 'combined', null, true, true],
                ['syslog:server=l', 'combined', 1024, false, false],
            ],
            array_map(
                static fn (AccessLog $log): array
                    => [$log->path, $log->format, $log->bufferBytes, $log->hasVariablesInPath(), $log->isLocalFile()],
                $facts->accessLogs(),
            ),
        );
        self::assertNull(self::facts('http { server {} }')->accessLogs()[0]->directive);
        self::assertSame([], self::facts('http { access_log off; server { location / {} } }')->accessLogs());
    }

    #[Test]
    public function files_that_are_looked_for_are_found_with_the_cache_that_holds_there(): void
    {
        $facts = self::facts(
            'http { open_file_cache max=1000 inactive=20s; server { location / { try_files $uri =404;'
                .' } location /b { open_file_cache off; try_files $uri =404; } } map $a $b { try_files c; } }',
        );
        $caches = array_map(
            static fn ($directive): ?string => $facts->setting('open_file_cache', $directive->parent ?? $directive)
                ->value(),
            $facts->tryFiles(),
        );

        self::assertSame(['max=1000', 'off'], $caches);
    }

    private static function pass(string $text): FastcgiPass
    {
        $passes = self::facts($text)->passes();
        self::assertCount(1, $passes);

        return $passes[0];
    }

    private static function facts(string $text): NginxFacts
    {
        $config = Configs::from($text);

        return new NginxFacts($config, self::version(), 8);
    }

    private static function version(): NginxVersion
    {
        return NginxVersion::fromText('nginx version: nginx/1.22.1') ?? self::fail('It is a version.');
    }

    /** The source of a setting that the configuration does not have. */
    private static function byDefault(): string
    {
        return NginxSetting::byDefault('gzip', 'off', self::version())->source;
    }
}
