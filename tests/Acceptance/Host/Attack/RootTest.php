<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host\Attack;

use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\VariantPool;
use Headroom\Bench\Servers\BeanstalkdServer;
use Headroom\Bench\Servers\MariaDbServer;
use Headroom\Bench\Servers\PostgresServer;
use Headroom\Bench\Servers\RedisServer;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\TargetApplication;
use Headroom\Process\UnixUser;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Acceptance\Host\Site as ServedSite;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Root starts servers whose workers are another user, and that user is an enemy.
 */
final class RootTest extends TestCase
{
    private Victim $victim;

    private ServedSite $site;

    protected function setUp(): void
    {
        posix_geteuid() === 0 || self::markTestSkipped('Only root hands workers to another user.');
        Needs::webStack();
        $this->victim = new Victim;
        $this->site = ServedSite::create();
    }

    protected function tearDown(): void
    {
        if (isset($this->victim, $this->site)) {
            $this->victim->end();
            $this->site->remove();
        }
    }

    /** @return iterable<string, array{string}> what starts it; FRONT is the front controller, SITE a site of it */
    public static function servers(): iterable
    {
        yield 'the web stack' => [
            WebStack::class.'::start(new '.WebConfig::class.'(FRONT, 1, accessLog: true, slowSeconds: 5))',
        ];
        yield 'the PHP-FPM of headroom preload' => [PrivateFpm::class.'::start(SITE)'];
        yield 'a pool of bench:preload' => [VariantPool::class.'::start(new '.PreloadVariant::class.'("one", SITE))'];
    }

    /** @return iterable<string, array{string}> */
    public static function dataServers(): iterable
    {
        yield 'Redis' => ['redis-server', RedisServer::class.'::start()'];
        yield 'beanstalkd' => ['beanstalkd', BeanstalkdServer::class.'::start()'];
        yield 'MariaDB' => ['mariadbd', MariaDbServer::class.'::start()'];
        yield 'PostgreSQL' => ['pg_ctlcluster', PostgresServer::class.'::start()'];
    }

    #[Test]
    #[DataProvider('servers')]
    public function root_keeps_no_open_file_where_another_user_may_exchange_it(string $start): void
    {
        self::assertSame(
            '[]',
            $this->victim->run(
                $this->code("\$server = {$start}; echo json_encode(".RootFiles::class.'::exchangeable(getmypid()));'),
            ),
        );
    }

    #[Test, Group('day-1')]
    #[DataProvider('dataServers')]
    public function root_keeps_no_open_file_in_the_folder_of_a_data_server(string $program, string $start): void
    {
        Needs::program($program, $program);

        self::assertSame(
            '[]',
            $this->victim->run(
                "\$server = {$start}; echo json_encode(".RootFiles::class.'::exchangeable(getmypid()));',
            ),
        );
    }

    #[Test, Group('day-2')]
    #[DataProvider('servers')]
    public function links_and_files_that_workers_plant_lead_root_nowhere(string $start): void
    {
        $said = $this->victim->attack()->run(
            $this->code("for (\$i = 0; \$i < 5; \$i++) { \$server = {$start}; \$server->stop(); echo 'served '; }"),
        );

        $this->victim->assertUnharmed();
        self::assertSame(str_repeat('served ', 5), $said);
    }

    private function code(string $code): string
    {
        $front = var_export($this->site->front(), true);
        $root = var_export(dirname($this->site->front()), true);
        $site = 'new '.TargetApplication::class."({$root}, {$front}, account: ".UnixUser::class.'::named("www-data"))';

        return strtr($code, ['FRONT' => $front, 'SITE' => $site]);
    }
}
