<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A fastcgi_pass by variables is judged as one by the name that they stand for, and nothing passes
 * where that is not known.
 */
#[Group('day-1')]
final class PassedByVariableTest extends TestCase
{
    private TemporaryDirectory $directory;

    private RealNginx $nginx;

    private WebServers $machine;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('nginx-variables');
        $this->nginx = new RealNginx($this->directory);
        $this->machine = new WebServers;
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    /**
     * @return iterable<string, array{string, string, string, ?string}> name, upstreams, what else the location says,
     *     version
     */
    public static function stacks(): iterable
    {
        yield 'connections that are kept' => ['php_default', 'keepalive 64;', 'fastcgi_keep_conn on;', '1.22.1'];
        yield 'kept by default' => ['php_default', '', 'fastcgi_keep_conn on;', '1.29.7'];
        yield 'half of it' => ['php_default', '', 'fastcgi_keep_conn on;', '1.22.1'];
        yield 'the other half' => ['php_default', 'keepalive 64;', '', '1.22.1'];
        yield 'a few' => ['php_default', 'keepalive 1;', 'fastcgi_keep_conn on;', '1.22.1'];
        yield 'a socket' => ['unix:/run/php/fpm.sock', 'keepalive 64;', 'fastcgi_keep_conn on;', '1.22.1'];
        yield 'an address' => ['127.0.0.1:9000', 'keepalive 64;', 'fastcgi_keep_conn on;', '1.22.1'];
        yield 'an upstream by TCP' => ['tcp', 'keepalive 64;', '', '1.22.1'];
        yield 'no version' => ['php_default', '', 'fastcgi_keep_conn on;', null];
    }

    #[Test]
    #[DataProvider('stacks')]
    public function each_way_to_say_a_name_is_judged_as_the_name(
        string $name,
        string $upstream,
        string $location,
        ?string $version,
    ): void {
        $template = $this->template($upstream, $location);
        $literal = strtr($template, ['{http}' => '', '{server}' => '', '{location}' => '', '{target}' => $name]);
        $expected = $this->judged($literal, [], $version);

        for ($seed = 1; $seed <= Sample::number(12, 60); $seed++) {
            [$text, $files, $target] = (new VariableMaker($seed))->put($template, $name);

            self::assertSame(
                $expected,
                $this->judged($text, $files, $version),
                "Seed {$seed}, fastcgi_pass {$target}:\n{$text}",
            );
        }
    }

    /** @return iterable<string, array{string, string, string, string}> http, server, location, target */
    public static function unknowns(): iterable
    {
        yield 'a header' => ['', '', '', '$http_x_backend'];
        yield 'an address by a header' => ['', '', '', '"php_${http_x}"'];
        yield 'a capture of the location' => ['', '', '', '"php_$site"'];
        yield 'a map of a header' => ['map $host $backend { default $http_x; }', '', '', '$backend'];
        yield 'a map that captures' => [
            'map $host $backend { default nowhere; ~^(.+)\.example$ php_$1; }',
            '',
            '',
            '$backend',
        ];
        yield 'a map that captures by name' => [
            'map $host $backend { default nowhere; ~^(?<it>.+)\.example$ php_$it; }',
            '',
            '',
            '$backend',
        ];
        yield 'a map without a default' => ['map $host $backend { a.example tcp; }', '', '', '$backend'];
        yield 'clients of which a part is left' => [
            'split_clients $remote_addr $backend { 50% tcp; }',
            '',
            '',
            '$backend',
        ];
    }

    /** @return iterable<string, array{string, string, string, string}> http, server, location, target */
    public static function unknownSets(): iterable
    {
        yield 'a set that may not be reached' => ['', '', 'if ($http_x) { set $backend tcp; }', '$backend'];
        yield 'a set of another location' => [
            '',
            'location /other { set $backend tcp; rewrite ^ /index.php last; }',
            '',
            '$backend',
        ];
        yield 'a set that grows' => [
            '',
            'location /a { set $backend "${backend}x"; rewrite ^ /a last; }',
            '',
            '$backend',
        ];
        yield 'a request that is asked for' => [
            '',
            'set $backend tcp;',
            'auth_request /auth; auth_request_set $backend $upstream_http_x;',
            '$backend',
        ];
        yield 'a set of a location that is asked' => [
            'auth_request /auth;',
            'set $backend tcp; location = /auth { set $backend $http_x; return 204; }',
            '',
            '$backend',
        ];
        yield 'a map that was asked before a set' => [
            'map $it $backend { default php_default; shop tcp; }',
            'if ($backend = none) { return 404; } set $it shop;',
            '',
            '$backend',
        ];
        yield 'maps of each other' => [
            'map $host $one { default $backend; } map $host $backend { default $one; }',
            '',
            '',
            '$backend',
        ];
    }

    #[Test]
    #[DataProvider('unknowns')]
    #[DataProvider('unknownSets')]
    public function nothing_that_depends_on_an_unknown_value_passes(
        string $http,
        string $server,
        string $location,
        string $target,
    ): void {
        $template = $this->template('keepalive 64;', "fastcgi_keep_conn on;\nfastcgi_connect_timeout 60s;");
        $text = strtr(
            $template,
            ['{http}' => $http, '{server}' => $server, '{location}' => $location, '{target}' => $target],
        );
        $judged = $this->judged($text, [], '1.22.1');

        foreach (['N4', 'N5', 'N6', 'N9', 'N10'] as $id) {
            $said = implode(
                "\n",
                array_filter($judged, static fn (string $verdict): bool => str_starts_with($verdict, "{$id} ")),
            );

            self::assertMatchesRegularExpression(
                $id === 'N10' ? '/^N10 (?:unknown|warn) /m' : "/^{$id} unknown /m",
                $said,
            );
            self::assertDoesNotMatchRegularExpression("/^{$id} pass /m", $said);
        }
    }

    #[Test]
    public function each_of_several_values_is_judged(): void
    {
        $template = $this->template('keepalive 64;', "fastcgi_keep_conn on;\nfastcgi_connect_timeout 60s;");
        $text = strtr(
            $template,
            [
                '{http}' => 'split_clients $remote_addr $backend { 1% php_default; 1% 127.0.0.1:9000; * php_spare; }',
                '{server}' => '',
                '{location}' => '',
                '{target}' => '$backend',
            ],
        );
        $place = 'server 127.0.0.1:18089, location ~ ^/(?<site>[a-z]+)\.php$';
        $judged = implode("\n", $this->judged($text, [], '1.22.1'));

        foreach ([
            'N5 fail pool shop', 'N5 fail pool spare', 'N6 fail pool shop', 'N6 fail pool spare',
            "N9 warn pool tcp, {$place}", "N10 warn {$place}",
        ] as $verdict) {
            self::assertStringContainsString("{$verdict}: ", $judged);
        }
    }

    /** @param string $location what else the location that passes requests on says */
    private function template(string $upstream, string $location): string
    {
        $temporary = implode(
            ' ',
            array_map(
                static fn (string $kind): string => "{$kind}_temp_path {$kind};",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
        );

        return <<<NGINX
            worker_processes 2;
            pid pid;
            error_log {$this->directory->file('error.log')} warn;
            events { worker_connections 256; }
            http {
                access_log {$this->directory->file('access.log')};
                {$temporary}
                variables_hash_bucket_size 128;
                {http}
                upstream php_default { server unix:/run/php/fpm.sock; {$upstream} }
                upstream php_spare { server unix:/run/php/spare.sock; keepalive 32; }
                upstream tcp { server 127.0.0.1:9000; }
                server {
                    listen 127.0.0.1:18089;
                    root /srv/app;
                    {server}
                    location / { try_files \$uri /index.php; }
                    location ~ ^/(?<site>[a-z]+)\.php$ {
                        {location}
                        fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name;
                        fastcgi_read_timeout 10s;
                        {$location}
                        fastcgi_pass {target};
                    }
                }
            }
            NGINX;
    }

    /**
     * @param array<string, string> $files
     * @return list<string> rule, status, subject and message of all that nginx's checks say
     */
    private function judged(string $text, array $files, ?string $version): array
    {
        array_map($this->directory->write(...), array_keys($files), $files);
        $printed = $this->nginx->test($text);
        self::assertSame(0, $printed->exitCode, "{$printed->errors}\n{$text}");
        $config = Parser::files(new DiskFiles, $this->directory->file('nginx.conf'));
        $nginx = $this->machine->nginx([10 => $config], $version);
        $pool = ['pm.max_children' => '10', 'pm.max_requests' => '500', 'request_terminate_timeout' => '90s'];
        $pools = $this->machine->fpm(
            [
                'shop' => $pool + ['listen' => '/run/php/fpm.sock'],
                'spare' => $pool + ['listen' => '/run/php/spare.sock'],
                'tcp' => $pool + ['listen' => '127.0.0.1:9000'],
            ],
        );
        $checks = CheckList::ofPackage()->only([...Checks::ofLayers('N')->ids(), 'F9']);

        return array_map(
            static fn (CheckResult $verdict): string => "{$verdict->check->id} {$verdict->finding->status->value}"
                ." {$verdict->finding->subject}: {$verdict->finding->message}",
            (new CheckRunner($checks))->run(new Facts([
                NginxServers::class => static fn (): NginxServers => $nginx,
                FpmPools::class => static fn (): FpmPools => $pools,
            ]))->results,
        );
    }
}
