<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Versions;

use Closure;
use DateTimeImmutable;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Database\Checks\UnsupportedDatabase;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\Checks\UnsupportedLaravel;
use Headroom\Doctor\Nginx\NginxVersion;
use Headroom\Doctor\Redis\RedisInfo;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Doctor\Versions\Distribution;
use Headroom\Doctor\Versions\EndOfLifeAssessment;
use Headroom\Doctor\Versions\EndOfLifeDates;
use Headroom\Doctor\Versions\SystemPackages;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class VersionChecksTest extends TestCase
{
    private const TODAY = '2026-11-27';

    private const DEBIAN = "ID=debian\nVERSION_ID=\"%s\"\n";

    /** @return iterable<string, array{Engine, string, Status}> */
    public static function databases(): iterable
    {
        yield 'a release that is maintained' => [Engine::Postgres, '17.2', Status::Pass];
        yield 'one that is not' => [Engine::Postgres, '12.20', Status::Warn];
        yield 'of a distribution that is' => [Engine::Mysql, '5.7.42-0ubuntu0.24.04.1', Status::Pass];
        yield 'of a distribution that is not' => [Engine::Mysql, '5.7.42-0ubuntu0.18.04.1', Status::Warn];
        yield 'in the words of PostgreSQL' => [Engine::Postgres, '11.22 (Debian 11.22-0+deb12u2)', Status::Pass];
        yield 'packed by PostgreSQL' => [Engine::Postgres, '11.22 (Debian 11.22-1.pgdg120+1)', Status::Warn];
        yield 'packed by MariaDB' => [Engine::Mariadb, '10.4.34-MariaDB-1:10.4.34+maria~deb12', Status::Warn];
        yield 'of Debian' => [Engine::Mariadb, '10.4.34-MariaDB-0+deb12u1', Status::Pass];
        yield 'in the words of its image' => [Engine::Mariadb, '10.11.6-MariaDB-1:10.11.6+maria~ubu2204', Status::Pass];
        yield 'of an old image' => [Engine::Mariadb, '10.4.34-MariaDB-1:10.4.34+maria~focal-log', Status::Warn];
        yield 'as it hides from old clients' => [Engine::Mariadb, '5.5.5-10.11.6-MariaDB', Status::Pass];
        yield 'of Percona' => [Engine::Mysql, '5.7.44-48-log', Status::Warn];
        yield 'before the first of the data' => [Engine::Mysql, '4.1.22', Status::Warn];
        yield 'a beta' => [Engine::Postgres, '18beta1', Status::Warn];
        yield 'a milestone' => [Engine::Mysql, '8.4.0-m17', Status::Warn];
        yield 'newer than the data' => [Engine::Mariadb, '99.1.2-MariaDB', Status::Unknown];
        yield 'of no number' => [Engine::Mysql, '', Status::Unknown];
        yield 'another product' => [Engine::Mysql, '8.4.11-TiDB-v8.5.0', Status::Unknown];
        yield 'another of PostgreSQL' => [Engine::Postgres, '15.2-YB-2.25.0.0-b0', Status::Unknown];
        yield 'of Google' => [Engine::Mysql, '5.7.44-google', Status::Unknown];
        yield 'of Google, that is maintained' => [Engine::Mysql, '8.4.4-google', Status::Pass];
        yield 'of CloudLinux' => [Engine::Mariadb, '10.4.34-MariaDB-cll-lve', Status::Unknown];
        yield 'of Debian that is not known' => [Engine::Mysql, '5.7.42-0+deb99u1', Status::Unknown];
    }

    #[Test]
    #[DataProvider('databases')]
    public function a_database_past_its_end_is_told(Engine $engine, string $version, Status $status): void
    {
        $facts = self::facts([
            DatabaseServer::class => static fn (): DatabaseServer => new DatabaseServer($engine, $version, [], []),
        ]);

        if ($status === Status::Unknown) {
            $this->expectException(FactUnavailable::class);
        }

        $finding = [...(new UnsupportedDatabase)->examine($facts)][0];

        self::assertSame($status, $finding->status, $finding->message);
        self::assertContains(
            $version,
            array_map(static fn (Evidence $evidence): string => $evidence->value, $finding->evidence),
        );
        self::assertSame($status === Status::Warn, $finding->fix !== null);
    }

    /** @return iterable<string, array{Engine, string, array<string, string>}> */
    public static function provided(): iterable
    {
        yield 'Aurora' => [Engine::Mysql, '5.7.12', ['aurora_version' => '2.11.2']];
        yield 'RDS' => [Engine::Mysql, '5.7.44-log', ['basedir' => '/rdsdbbin/mysql-5.7.44.R1/']];
        yield 'PostgreSQL of RDS' => [Engine::Postgres, '12.20', ['rds.extensions' => 'a']];
        yield 'Azure' => [Engine::Postgres, '11.22', ['azure.extensions' => '']];
        yield 'AlmaLinux' => [Engine::Mysql, '8.0.36', ['version_comment' => 'Source distribution']];
        yield 'CockroachDB' => [Engine::Postgres, '17.0.0', ['crdb_version' => 'v24.1']];
    }

    /** @param array<string, string> $variables */
    #[Test]
    #[DataProvider('provided')]
    public function what_a_provider_may_fix_for_longer_is_unknown(
        Engine $engine,
        string $version,
        array $variables,
    ): void {
        $server = new DatabaseServer($engine, $version, $variables, []);

        $this->expectException(FactUnavailable::class);
        iterator_to_array(
            (new UnsupportedDatabase)->examine(self::facts([DatabaseServer::class => static fn () => $server])),
        );
    }

    /** @return iterable<string, array{string, array<string, string>, Status}> */
    public static function redises(): iterable
    {
        $redis = static fn (string $version): array => ['redis_version' => $version];
        yield 'that is maintained' => ['tcp://10.0.0.1:6379', $redis('7.2.4'), Status::Pass];
        yield 'before the first of the data' => ['tcp://10.0.0.1:6379', $redis('4.0.9'), Status::Unknown];
        yield 'the same, and it is here' => [
            'tcp://127.0.0.1:6379',
            $redis('4.0.9') + ['executable' => '/opt/redis/redis-server'],
            Status::Warn,
        ];
        yield 'of the branch unstable' => ['tcp://127.0.0.1:6379', $redis('255.255.255'), Status::Unknown];
        yield 'a candidate of 8.0' => ['tcp://127.0.0.1:6379', $redis('7.9.240'), Status::Unknown];
        yield 'Valkey' => ['tcp://127.0.0.1:6379', $redis('7.2.4') + ['valkey_version' => '8.1.0'], Status::Pass];
        yield 'Dragonfly' => [
            'tcp://127.0.0.1:6379',
            $redis('7.4.0') + ['dragonfly_version' => 'df-v1.25.0'],
            Status::Unknown,
        ];
        yield 'KeyDB' => ['tcp://127.0.0.1:6379', $redis('7.2.4') + ['mvcc_depth' => '0'], Status::Unknown];
        yield 'ElastiCache' => [
            'tcp://a.b.cache.amazonaws.com:6379', $redis('7.2.4') + ['os' => 'Amazon ElastiCache'], Status::Unknown,
        ];
        yield 'with its compiler' => [
            'tcp://10.0.0.1:6379', $redis('7.2.4') + ['gcc_version' => '12.2.0'], Status::Pass,
        ];
    }

    /** @param array<string, string> $info */
    #[Test]
    #[DataProvider('redises')]
    public function a_redis_past_its_end_is_told(string $place, array $info, Status $status): void
    {
        $servers = new RedisServers([new RedisServer($place, info: new RedisInfo($info))]);
        $packages = new SystemPackages(null, static fn (): null => null);
        $facts = self::facts([
            RedisServers::class => static fn () => $servers,
            SystemPackages::class => static fn () => $packages,
        ]);
        $finding = (new CheckRunner(Checks::only('R13')))->run($facts)->results[0]->finding;

        self::assertSame($status, $finding->status, $finding->message);
    }

    /** @return iterable<string, array{string, Status}> */
    public static function versions(): iterable
    {
        yield 'of nginx, mainline before the data' => ['1.17.10', Status::Warn];
        yield 'of nginx, ancient' => ['0.8.54', Status::Warn];
        yield 'of nginx, to come' => ['1.99.0', Status::Unknown];
        yield 'of nginx, without an end' => ['1.30.1', Status::Pass];
        yield 'of PHP, a candidate' => ['8.5.0RC3', Status::Warn];
        yield 'of PHP, from a branch' => ['8.4.21-dev', Status::Warn];
        yield 'of PHP, of Ubuntu' => ['8.3.6-0ubuntu0.24.04.5', Status::Pass];
    }

    #[Test]
    #[DataProvider('versions')]
    public function each_version_is_one_or_unknown(string $version, Status $status): void
    {
        $isPhp = str_starts_with($version, '8.');
        $facts = self::facts([]);
        $support = new EndOfLifeAssessment($isPhp ? 'php' : 'nginx', 'it');

        if ($status === Status::Unknown) {
            $this->expectException(FactUnavailable::class);
        }

        $seen = new Evidence('it', $version, 'it');
        self::assertSame($status, $support->of($version, $seen, static fn (): null => null, $facts)->status);
    }

    #[Test]
    public function a_clock_behind_the_data_does_not_bring_a_version_back_to_life(): void
    {
        $facts = self::facts([], '1970-01-01');
        $finding = (new EndOfLifeAssessment('php', 'PHP'))->of(
            '7.4.33',
            new Evidence('PHP', '7.4.33', ''),
            static fn (): null => null,
            $facts,
        );
        self::assertSame(Status::Warn, $finding->status);
    }

    #[Test]
    public function an_end_that_was_not_announced_long_ago_is_unknown(): void
    {
        $this->expectException(FactUnavailable::class);
        (new EndOfLifeAssessment('nginx', 'nginx'))->of(
            '1.30.1',
            new Evidence('nginx', '1.30.1', ''),
            static fn (): null => null,
            self::facts([], '2029-01-01'),
        );
    }

    #[Test]
    public function forks_of_nginx_have_releases_of_their_own(): void
    {
        self::assertNull(NginxVersion::fromText('nginx version: nginx/1.22.1')?->maker);
        self::assertNull(NginxVersion::fromText('nginx version: nginx/1.24.0 (Ubuntu)')?->maker);
        self::assertSame('OpenResty', NginxVersion::fromText('nginx version: openresty/1.27.1.2')?->maker);
        self::assertSame('NGINX Plus', NginxVersion::fromText('nginx version: nginx/1.27.2 (nginx-plus-r33)')?->maker);

        foreach ([
            'Angie version: Angie/1.7.0', 'Tengine version: Tengine/2.3.3', 'freenginx version: freenginx/1.27.4',
        ] as $fork) {
            self::assertNull(NginxVersion::fromText($fork), $fork);
        }
    }

    /** @return iterable<string, array{string, string, Status}> */
    public static function laravels(): iterable
    {
        yield 'the day of its end' => ['12.30.1', '2027-02-24', Status::Pass];
        yield 'the day after' => ['12.30.1', '2027-02-25', Status::Warn];
        yield 'long before' => ['12.0.0', '2025-03-01', Status::Pass];
        yield 'long after' => ['5.8.38', self::TODAY, Status::Warn];
        yield 'not in the data, between two' => ['5.6.40', self::TODAY, Status::Warn];
        yield 'before the first' => ['4.2.22', self::TODAY, Status::Warn];
        yield 'a branch' => ['12.x-dev', self::TODAY, Status::Pass];
    }

    #[Test]
    #[DataProvider('laravels')]
    public function the_day_decides(string $version, string $today, Status $status): void
    {
        $application = new Application('/app', $version, 'production', false, [], []);
        $facts = self::facts([Application::class => static fn (): Application => $application], $today);

        self::assertSame($status, [...(new UnsupportedLaravel)->examine($facts)][0]->status);
    }

    /**
     * @return iterable<string, array{string, string, bool}> a version of dpkg, of which Debian,
     *     whether it is native and maintained
     */
    public static function packages(): iterable
    {
        yield 'as it was released' => ['1.22.1-9', '12', true];
        yield 'with a fix of security' => ['1.22.1-9+deb12u3', '12', true];
        yield 'a backport' => ['1.22.1-9~deb12u1', '12', true];
        yield 'built again' => ['1.22.1-9+b2', '12', true];
        yield 'of Ubuntu' => ['1.18.0-6ubuntu14.4', '12', true];
        yield 'of a Debian that ended' => ['1.22.1-9', '10', false];
        yield 'by nginx' => ['1.22.1-1~bookworm', '12', false];
        yield 'by sury' => ['1.22.1-1+0~20240927.43+debian12~1.gbp1a2b3c', '12', false];
        yield 'by nobody' => ['', '12', false];
    }

    #[Test]
    #[DataProvider('packages')]
    public function a_package_is_judged_by_the_end_of_its_distribution(
        string $version,
        string $debian,
        bool $isMaintained,
    ): void {
        $ask = static fn (array $command): ?string => match (true) {
            $version === '' => null,
            $command === ['dpkg-query', '-S', '/sbin/nginx'] => 'nginx-core:amd64: /sbin/nginx',
            array_slice($command, 0, 2) === ['dpkg-query', '-W'] => $version,
            default => null,
        };
        $packages = new SystemPackages(Distribution::fromOsRelease(sprintf(self::DEBIAN, $debian)), $ask);
        $finding = self::nginx('1.22.1', '/usr/sbin/nginx', $packages);

        self::assertSame($isMaintained ? Status::Pass : Status::Warn, $finding->status, $finding->message);
    }

    #[Test]
    public function a_program_that_cannot_be_seen_is_unknown_only_past_its_end(): void
    {
        $packages = new SystemPackages(null, static fn (): ?string => self::fail('It was asked.'));
        self::assertSame(Status::Pass, self::nginx('1.30.1', null, $packages)->status);

        $this->expectException(FactUnavailable::class);
        self::nginx('1.22.1', null, $packages);
    }

    #[Test]
    public function vendors_of_rpm_are_compared(): void
    {
        $almalinux = Distribution::fromOsRelease("ID=\"almalinux\"\nVERSION_ID=\"9.4\"\n");
        $vendors = static fn (string $owner): SystemPackages
            => new SystemPackages($almalinux, static fn (array $command): ?string => match (true) {
                $command[0] !== 'rpm' => null,
                $command[4] === '/etc/os-release' => "almalinux-release\tAlmaLinux",
                default => "nginx\t{$owner}",
            });

        self::assertSame(Status::Pass, self::nginx('1.20.1', '/usr/sbin/nginx', $vendors('AlmaLinux'))->status);
        self::assertSame(Status::Warn, self::nginx('1.20.1', '/usr/sbin/nginx', $vendors('Remi Collet'))->status);
        self::assertSame('almalinux 9', $almalinux?->name());
    }

    #[Test]
    public function the_data_has_what_this_package_supports(): void
    {
        $ends = EndOfLifeDates::read(new DateTimeImmutable(self::TODAY));
        preg_match('/"php": "([^"]+)"/', Files::read('composer.json'), $required);
        preg_match_all('/\^(\d+\.\d+)/', $required[1] ?? '', $php);
        $supported = [
            'laravel' => ['11', '12', '13'],
            'php' => ['8.2', '8.3', '8.4'],
            'nginx' => ['1.22'],
            'debian' => ['12', '13'],
            'redis' => ['7.0'],
            'valkey' => ['8.1'],
        ];
        $supported += [
            'mysql' => ['8.0', '8.4'],
            'mariadb' => ['10.11', '11.8'],
            'postgresql' => ['15', '17'],
            'ubuntu' => ['24.04'],
        ];

        foreach ($supported as $product => $versions) {
            foreach ([...$versions, ...($product === 'php' ? $php[1] : [])] as $version) {
                self::assertNotNull($ends->of($product, $version), "{$product} {$version}");
            }

            self::assertNotNull($ends->newest($product), $product);
        }

        self::assertMatchesRegularExpression('/\A20\d\d-\d\d-\d\d\z/', $ends->date);
    }

    #[Test]
    public function data_that_cannot_be_read_is_unknown(): void
    {
        foreach (['/nowhere', __FILE__] as $file) {
            try {
                EndOfLifeDates::read(new DateTimeImmutable, $file);
                self::fail($file);
            } catch (FactUnavailable) {
                $this->addToAssertionCount(1);
            }
        }
    }

    private static function nginx(string $version, ?string $program, SystemPackages $packages): Finding
    {
        $facts = self::facts([SystemPackages::class => static fn (): SystemPackages => $packages]);
        $support = new EndOfLifeAssessment('nginx', 'nginx');

        return $support->of(
            $version,
            new Evidence('nginx', $version, 'nginx -v'),
            $support->packed($program, $facts),
            $facts,
        );
    }

    /** @param array<class-string, Closure(Facts): object> $probes */
    private static function facts(array $probes, string $today = self::TODAY): Facts
    {
        return new Facts([
            EndOfLifeDates::class => static fn (): EndOfLifeDates
                => EndOfLifeDates::read(new DateTimeImmutable($today)),
            ...$probes,
        ]);
    }
}
