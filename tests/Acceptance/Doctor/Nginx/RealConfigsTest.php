<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Dev\Nginx\ProxyConfig;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Directives\Units;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Host\Nginx\Nginx;
use Headroom\Host\Nginx\SiteConfig;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Configurations that people and this package write.
 */
final class RealConfigsTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('nginx-real');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function that_of_the_distribution_is_read(): void
    {
        if (! is_file('/etc/nginx/nginx.conf')) {
            self::markTestSkipped('/etc/nginx/nginx.conf is not there: bin/services install nginx');
        }

        $config = Parser::files(new DiskFiles, '/etc/nginx/nginx.conf');

        self::assertNotSame([], $config->blocks('http', 'types'));

        // Names in them are relative to the outermost file; not every distribution has all of them.
        $this->directory->write('fastcgi.conf', (string) file_get_contents('/etc/nginx/fastcgi.conf'));
        $php = $this->inServer(
            'location ~ \.php$ { include /etc/nginx/snippets/fastcgi-ph*; include /etc/nginx/proxy_param*; }',
        );
        self::assertContains('/etc/nginx/snippets/fastcgi-php.conf', $php->files);
        $more = $this->parse(
            'http { include /etc/nginx/koi-*; include /etc/nginx/win-*; include /etc/nginx/sites-available/*; }',
        );
        self::assertContains('/etc/nginx/koi-utf', $more->files);
    }

    #[Test]
    public function those_that_this_package_writes_are_read(): void
    {
        $site = (new SiteConfig('/srv', '/srv/index.php', '/run/s', statusPath: '/status', accessLog: true))->text(
            '/tmp/d',
            80,
        );
        $proxy = (new ProxyConfig(['unix:/run/a', '127.0.0.1:1']))->text('/tmp/d', 80);

        self::assertNotSame([], $this->parse($site)->inHttp('fastcgi_pass'));
        self::assertNotSame([], $this->parse($proxy)->inHttp('proxy_pass'));
    }

    #[Test]
    public function an_nginx_that_runs_is_found_and_read(): void
    {
        Needs::program('nginx', 'nginx');
        $nginx = Nginx::start(
            new SiteConfig('/srv', '/srv/index.php', '/run/s', accessLog: true, processes: 2, connections: 64),
            $this->directory,
        );

        try {
            $found = array_values(array_filter(
                (new NginxProbe(4))->servers()->known,
                static fn (NginxServer $server): bool => $server->master->pid === $nginx->pid(),
            ));
        } finally {
            $nginx->stop();
        }

        self::assertCount(1, $found);
        [$facts, $master] = [$found[0]->facts, $found[0]->master];
        self::assertSame($this->directory->file('nginx.conf'), $master->started->config);
        self::assertSame([128, 128], array_values($master->workers));
        self::assertSame([2, 64], [$facts->workers(), $facts->workerConnections()->number()]);
        self::assertNotNull($facts->version);
        [$pass] = $facts->passes();
        self::assertSame(['unix:/run/s', 120_000], [$pass->address, $pass->readTimeout->milliseconds()]);
        self::assertSame('/srv/index.php', $pass->scriptFilename?->argument(1));
        self::assertStringStartsWith($this->directory->file('nginx.conf').':', $pass->readTimeout->source);
    }

    #[Test]
    public function a_file_that_was_broken_after_the_start_of_nginx_is_unknown(): void
    {
        Needs::program('nginx', 'nginx');
        $nginx = Nginx::start(new SiteConfig('/srv', '/srv/index.php', '/run/s'), $this->directory);
        $file = $this->directory->file('nginx.conf');

        try {
            foreach (['events {', "worker_processes 1\nevents {}", 'include gone.conf; events {}', ';'] as $text) {
                $this->directory->write('nginx.conf', $text);
                $unknown = (new NginxProbe(4))->servers()->unknown[$nginx->pid()] ?? null;

                self::assertStringContainsString('[emerg]', (string) $unknown?->getMessage(), $text);
                self::assertStringContainsString($file, (string) $unknown?->getMessage(), $text);
                self::assertStringEndsWith("-c {$file} -t", (string) $unknown?->command, $text);
            }
        } finally {
            $nginx->stop();
        }
    }

    #[Test, Group('day-1')]
    public function times_and_sizes_are_read_as_nginx_reads_them(): void
    {
        Needs::program('nginx', 'nginx');
        $nginx = new RealNginx($this->directory);
        $random = new Randomizer(new Mt19937(5));
        $verdicts = [true => 0, false => 0];

        for ($i = 0; $i < Sample::number(25, 120); $i++) {
            $time = '';
            $size = (string) $random->getInt(0, 99);

            for ($parts = $random->getInt(1, 3); $parts > 0; $parts--) {
                $time .= $random->getInt(0, 99)
                    .['', 'ms', 's', 'm', 'h', 'd', 'w', ' ', 'h ', 's ', 'm ', 'x'][$random->getInt(0, 11)];
            }

            $size .= ['', 'k', 'K', 'm', 'M', 'g', 'G', 'kb', 'x', ' ', 's'][$random->getInt(0, 10)];

            foreach ([
                'keepalive_timeout' => [$time, Units::milliseconds($time)],
                'client_max_body_size' => [$size, Units::bytes($size)],
            ] as $name => [$text, $value]) {
                $taken = $nginx->test(
                    "pid pid;\nevents {}\nhttp { {$name} '{$text}'; client_body_temp_path b; proxy_temp_path p;"
                        ." fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s; access_log off; }\n",
                )->exitCode === 0;
                $verdicts[$taken]++;
                self::assertSame($taken, $value !== null, "{$name} '{$text}'");
            }
        }

        self::assertGreaterThan(Sample::number(5, 40), min($verdicts));
    }

    #[Test]
    #[DataProvider('people')]
    public function configurations_as_people_write_them_are_read(string $inServer): void
    {
        $server = $this->inServer($inServer)->blocks('http', 'server')[0];

        self::assertNotSame([], $server->block?->directives());
    }

    /** @return iterable<string, array{string}> */
    public static function people(): iterable
    {
        yield 'Laravel' => [
            'add_header X-Frame-Options "SAMEORIGIN"; charset utf-8; location / { try_files $uri $uri/ '
                .'/index.php?$query_string; } location = /favicon.ico { access_log off; log_not_found off; } '
                .'error_page 404 /index.php; location ~ ^/index\.php(/|$) { fastcgi_pass '
                .'unix:/var/run/php/php8.2-fpm.sock; fastcgi_param SCRIPT_FILENAME $realpath_root$fastcgi_script_name; '
                .'include fastcgi_params*; fastcgi_hide_header X-Powered-By; } '
                .'location ~ /\.(?!well-known).* { deny all; }',
        ];
        yield 'a content security policy over lines' => [
            "add_header Content-Security-Policy \"default-src 'self';\n  img-src * data:;\n  script-src"
                ." 'nonce-\$request_id'\" always;",
        ];
        yield 'WebSockets' => [
            'location /ws { proxy_pass http://127.0.0.1:8080; proxy_http_version 1.1; proxy_set_header Upgrade'
                .' $http_upgrade; proxy_set_header Connection "upgrade"; }',
        ];
        yield 'regular expressions with braces' => [
            'if ($http_user_agent ~* "(bot|crawl){1,3}") { return 444; } rewrite "^/([0-9]{4})/(.*)$"'
                .' /a?y=$1&p=$2? permanent;',
        ];
        yield 'TLS' => [
            'listen 443 ssl http2; listen [::]:443 ssl ipv6only=on; ssl_certificate /a.pem;'
                .' ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:!aNULL; ssl_session_cache shared:SSL:10m;'
                .' resolver 1.1.1.1 [::1] valid=300s;',
        ];
        yield 'a cache' => [
            'fastcgi_cache_key "$scheme$request_method$host$request_uri"; fastcgi_cache_valid 200 301 302 10m;'
                .' fastcgi_cache_valid any 1m; fastcgi_cache_use_stale error timeout updating; fastcgi_cache_lock on;',
        ];
        yield 'OpenResty' => [
            "location / { access_by_lua_block {\n local m = ngx.re.match(ngx.var.uri, [[^/(\\d+)}]])\n if not m then"
                ." return ngx.exit(403) end -- '}'\n } proxy_pass http://x; }",
        ];
    }

    private function inServer(string $text): NginxConfig
    {
        return $this->parse("events {}\nhttp {\nserver {\n{$text}\n}\n}\n");
    }

    private function parse(string $text): NginxConfig
    {
        return Parser::files(new DiskFiles, $this->directory->write('nginx.conf', $text));
    }
}
