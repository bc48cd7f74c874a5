<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Fpm;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Settings that nginx and PHP-FPM must agree on, if several of them run: connections that are kept,
 * and which of the two gives up first.
 */
final class KeptConnectionsTest extends TestCase
{
    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    /** @return iterable<string, array{?string, string, string, Status}> version, upstream, location, what is said */
    public static function upgrades(): iterable
    {
        yield 'an upgrade' => ['1.29.7', '', 'fastcgi_keep_conn on;', Status::Warn];
        yield 'one version before' => ['1.29.6', '', 'fastcgi_keep_conn on;', Status::Pass];
        yield 'keepalive is set' => ['1.29.7', 'keepalive 2;', 'fastcgi_keep_conn on;', Status::Pass];
        yield 'keepalive is set to none' => ['1.29.7', 'keepalive 0;', 'fastcgi_keep_conn on;', Status::Pass];
        yield 'PHP-FPM is not asked to keep them' => ['1.29.7', '', '', Status::Pass];
        yield 'a version that is not known' => [null, '', 'fastcgi_keep_conn on;', Status::Unknown];
        yield 'and does not matter' => [null, '', '', Status::Pass];
    }

    #[Test]
    #[DataProvider('upgrades')]
    public function connections_that_an_upgrade_keeps(
        ?string $version,
        string $upstream,
        string $location,
        Status $status,
    ): void {
        $finding = $this->examined(
            'N7',
            $this->machine->nginx(
                [10 => Configs::from(
                    "http {\nupstream php {\nserver unix:/a;\n{$upstream}\n}\nserver {\nlocation /"
                        ." {\n{$location}\nfastcgi_pass php;\n}\n}\n}",
                )],
                $version,
            ),
        )[0]->finding;

        self::assertSame($status, $finding->status, $finding->message);
        self::assertSame(
            $status === Status::Unknown
                ? ['nginx -v']
                : ($status === Status::Warn ? ['sudo nginx -t && sudo kill -HUP 10'] : []),
            $finding->fix->commands ?? [],
        );
    }

    #[Test]
    public function the_line_that_an_upgrade_armed_is_switched_off_for_all_checks(): void
    {
        $file = $this->machine->path(
            'nginx.conf',
            "worker_processes 2;\nhttp {\nupstream php {\nserver unix:/a;\n}\nserver {\nlocation / {\n"
                ."    fastcgi_keep_conn on;\n    fastcgi_pass php;\n}\n}\n}\n",
        );
        $examined = fn (string $id): Finding => $this->examined(
            $id,
            $this->machine->nginx([10 => Parser::files(new DiskFiles, $file)], '1.29.7'),
        )[0]->finding;
        $finding = $examined('N7');
        Examined::shows(['php', 'keepalive', '32'], $finding->message);
        self::assertCount(1, $finding->fix->edits ?? []);

        foreach ($finding->fix->edits ?? [] as $edit) {
            file_put_contents($file, $edit->appliedTo((string) file_get_contents($file)));
        }

        self::assertSame(
            [Status::Pass, Status::Pass, Status::Pass],
            [$examined('N7')->status, $examined('N5')->status, $examined('N4')->status],
        );
    }

    #[Test]
    #[TestWith(['', '', Status::Pass])]
    #[TestWith(['keepalive 2;', 'fastcgi_keep_conn on;', Status::Pass])]
    #[TestWith(['keepalive 2;', '', Status::Warn])]
    #[TestWith(['', 'fastcgi_keep_conn on;', Status::Warn])]
    public function one_half_of_a_keepalive_is_a_fault(string $upstream, string $location, Status $status): void
    {
        $config = "http {\nupstream php {\nserver unix:/a;\n{$upstream}\n}\nserver {\nlocation / {\n{$location}\n"
            ."fastcgi_pass php;\n}\n}\n}";

        self::assertSame([$status], array_map(
            static fn (CheckResult $verdict): Status => $verdict->finding->status,
            $this->examined('N4', $this->machine->nginx([10 => Configs::from($config)])),
        ));
    }

    #[Test]
    public function connections_that_two_nginx_keep_to_one_pool_are_added_up(): void
    {
        $from = fn (string $name): NginxConfig => Parser::files(
            new DiskFiles,
            $this->machine->path(
                $name,
                "worker_processes 2;\nhttp {\nupstream php {\nserver unix:/a;\nkeepalive 1;\n}\nserver {\nlocation /"
                    ." {\nfastcgi_keep_conn on;\nfastcgi_pass php;\n}\n}\n}\n",
            ),
        );
        $examined = fn (NginxServers $nginx): array => $this->examined(
            'N5',
            $nginx,
            $this->machine->fpm(['www' => ['listen' => '/a', 'pm.max_children' => '4']]),
        );
        $said = static fn (CheckResult $verdict): string => "{$verdict->key()} {$verdict->finding->status->value}";

        self::assertSame(
            ['N5 pool www pass'],
            array_map($said, $examined($this->machine->nginx([10 => $from('one.conf')]))),
        );
        $verdicts = $examined($this->machine->nginx([10 => $from('one.conf'), 20 => $from('two.conf'), 30 => null]));
        self::assertSame(['N5 pool www fail', 'N5 nginx with pid 30 unknown'], array_map($said, $verdicts));
        Examined::shows(['2 x 1 + 2 x 1 = 4'], $verdicts[0]->finding->message);
        Examined::shows(['30'], $verdicts[1]->finding->message);
        self::assertSame(
            [['sudo nginx -t && sudo kill -HUP 10', 'sudo nginx -t && sudo kill -HUP 20'], ['sudo /opt/nginx-30 -T']],
            array_map(static fn (CheckResult $verdict): array => $verdict->finding->fix->commands ?? [], $verdicts),
        );
        self::assertSame(
            [$this->machine->path('one.conf'), $this->machine->path('two.conf')],
            array_values(array_unique(array_column($verdicts[0]->finding->fix->edits ?? [], 'file'))),
        );
    }

    #[Test]
    public function two_pools_of_one_name_in_two_php_fpms_are_judged_apart(): void
    {
        $location = static fn (string $name): string => "upstream {$name} {\nserver unix:/{$name};\nkeepalive"
            ." 2;\n}\nserver {\nlisten 80;\nserver_name {$name};\nlocation / {\nfastcgi_keep_conn"
            ." on;\nfastcgi_read_timeout 5s;\nfastcgi_pass {$name};\n}\n}\n";
        $nginx = $this->machine->nginx([
            10 => Configs::from("worker_processes 2;\nhttp {\n{$location('a')}{$location('b')}}"),
        ]);
        $pool = static fn (string $listen, string $children): array => ['www' => [
            'listen' => $listen,
            'pm.max_children' => $children,
            'pm.max_requests' => '500',
            'request_terminate_timeout' => '9s',
        ]];
        $pools = new FpmPools(
            [
                ...$this->machine->fpm($pool('/a', '40'))->pools,
                ...$this->machine->fpm($pool('/b', '4'), masters: ['www' => 80])->pools,
            ],
            [],
            [],
        );
        $said = fn (string $id): array => array_map(
            static fn (CheckResult $verdict): string => "{$verdict->key()} {$verdict->finding->status->value}",
            $this->examined($id, $nginx, $pools),
        );

        self::assertSame(
            ['N5 pool www of /etc/php-fpm-80.conf fail', 'N5 pool www of /etc/php-fpm-70.conf pass'],
            $said('N5'),
        );
        self::assertSame(
            ['N6 pool www of /etc/php-fpm-70.conf fail', 'N6 pool www of /etc/php-fpm-80.conf fail'],
            $said('N6'),
        );
        self::assertSame(
            [
                'N9 pool www of /etc/php-fpm-70.conf, server a, location / warn',
                'N9 pool www of /etc/php-fpm-80.conf, server b, location / warn',
            ],
            $said('N9'),
        );
    }

    #[Test]
    public function each_place_that_keeps_connections_without_keepalive_is_changed(): void
    {
        $location = static fn (string $path): string
            => "location {$path} {\nfastcgi_keep_conn on;\nfastcgi_pass php;\n}\n";
        $file = $this->machine->path(
            'nginx.conf',
            "worker_processes 2;\nhttp {\nupstream php {\nserver unix:/a;\nserver unix:/a;\n}\nserver"
                ." {\n{$location('/one')}{$location('/two')}}\n}\n",
        );
        $examined = fn (string $id): array => $this->examined(
            $id,
            $this->machine->nginx([10 => Parser::files(new DiskFiles, $file)], '1.29.7'),
            $this->machine->fpm(['www' => [
                'listen' => '/a',
                'pm.max_requests' => '500',
                'request_terminate_timeout' => '90s',
            ]]),
        );
        $before = (string) file_get_contents($file);

        foreach (['N5' => 'N5 pool www', 'N6' => 'N6 pool www', 'N7' => 'N7 upstream php'] as $id => $key) {
            file_put_contents($file, $before);
            $verdicts = $examined($id);
            self::assertSame([$key], array_map(static fn (CheckResult $verdict): string => $verdict->key(), $verdicts));

            foreach ($verdicts[0]->finding->fix->edits ?? [] as $edit) {
                file_put_contents($file, $edit->appliedTo((string) file_get_contents($file)));
            }

            self::assertSame(
                str_replace('fastcgi_keep_conn on', 'fastcgi_keep_conn off', $before),
                file_get_contents($file),
                $id,
            );
        }

        self::assertSame(
            ['N9 pool www, server 80, location /one', 'N9 pool www, server 80, location /two'],
            array_map(static fn (CheckResult $verdict): string => $verdict->key(), $examined('N9')),
        );
    }

    /** @return list<CheckResult> */
    private function examined(string $id, NginxServers $nginx, ?FpmPools $pools = null): array
    {
        return Examined::by($id, [
            NginxServers::class => static fn (): NginxServers => $nginx,
            FpmPools::class => fn (): FpmPools => $pools ?? $this->machine->fpm([]),
        ])->results;
    }
}
