<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Checks\Redis\NoTimeouts;
use Headroom\Doctor\Examination;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\CommandLinePhp;
use Headroom\Doctor\Facts\Laravel\JobClass;
use Headroom\Doctor\Facts\Laravel\QueueWorker;
use Headroom\Doctor\Status;
use Headroom\Doctor\Verdict;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Each check of an application: settings that make it fire, and settings as near as can be that do not.
 */
final class ApplicationChecksTest extends TestCase
{
    private const IDS = [
        'R1', 'R2', 'R4', 'R11', 'R12', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8', 'L9', 'L11', 'L12', 'L13',
        'L14', 'L15', 'L16',
    ];

    /**
     * @return iterable<string, array{
     *     string,
     *     array<string, mixed>,
     *     array{
     *         isDebugging?: bool,
     *         environment?: string,
     *         cached?: list<string>,
     *         providers?: list<string>,
     *         workers?: list<QueueWorker>,
     *         calls?: list<string>,
     *         isOptimized?: ?bool,
     *         php?: CommandLinePhp,
     *         classes?: list<JobClass>,
     *     },
     *     list<string>,
     * }> the last is what the message names
     */
    public static function firing(): iterable
    {
        yield 'a new connection for each request' => [
            'R1',
            ['database.redis.options.persistent' => false],
            [],
            ['2', 'cache', 'default'],
        ];
        yield 'one of two is new for each request' => [
            'R1',
            ['database.redis.cache.options' => ['persistent' => false]],
            [],
            ['1', 'cache'],
        ];
        yield 'the option of all stands before that of the one' => [
            'R1',
            [
                'database.redis.options.persistent' => false,
                'database.redis.default.persistent' => true,
                'database.redis.cache.persistent' => true,
            ],
            [],
            ['2', 'cache', 'default'],
        ];
        yield 'only the queue uses Redis' => [
            'R1',
            ['session.driver' => 'database', 'cache.default' => 'file', 'database.redis.options' => null],
            [],
            ['1', 'default'],
        ];
        yield 'persistent without a database' => [
            'R2',
            ['database.redis.default.database' => null],
            [],
            ["'default'", 'database', 'cache'],
        ];
        yield 'no timeout' => ['R4', ['database.redis.default.timeout' => null], [], ["'default'", 'timeout']];
        yield 'a timeout of nought' => [
            'R4',
            ['database.redis.cache.timeout' => 0.0, 'database.redis.cache.read_timeout' => '0'],
            [],
            ["'cache'", 'timeout', 'read_timeout'],
        ];
        yield 'the option of all takes it away' => [
            'R4',
            ['database.redis.options.read_timeout' => 0],
            [],
            ["'default'", 'read_timeout'],
        ];
        yield 'Predis knows no read_timeout' => [
            'R4',
            ['database.redis.client' => 'predis'],
            [],
            ["'default'", 'read_write_timeout'],
        ];
        yield 'Predis takes nought for no limit' => [
            'R4',
            [
                'database.redis.client' => 'predis',
                'database.redis.default.read_write_timeout' => 10,
                'database.redis.cache.read_write_timeout' => 0,
            ],
            [],
            ["'cache'", 'read_write_timeout'],
        ];
        yield 'Predis' => ['R11', ['database.redis.client' => 'predis'], [], ['Predis']];
        yield 'no configuration' => ['L1', [], ['cached' => ['views', 'routes', 'events']], []];
        yield 'no routes' => ['L2', [], ['cached' => ['views', 'config', 'events']], []];
        yield 'no events' => ['L3', [], ['cached' => ['views', 'config', 'routes']], ['events']];
        yield 'no events and no views' => ['L3', [], ['cached' => ['config', 'routes']], ['events', 'views']];
        yield 'debugging' => ['L4', [], ['isDebugging' => true], ['APP_DEBUG', 'production']];
        yield 'debugging in staging' => [
            'L4',
            [],
            ['isDebugging' => true, 'environment' => 'staging'],
            ['APP_DEBUG', 'staging'],
        ];
        yield 'env() with a cache' => ['L5', [], ['calls' => ['app/Mail.php:12']], ['env()', 'config/']];
        yield 'env() without a cache' => [
            'L5',
            [],
            ['calls' => ['app/Mail.php:12', 'routes/web.php:3'], 'cached' => []],
            ['env()', '2', 'config/'],
        ];
        yield 'no class map' => ['L6', [], ['isOptimized' => false], []];
        yield 'sessions in the database' => ['L7', ['session.driver' => 'database'], [], ['database']];
        yield 'the cache in the database' => [
            'L8',
            ['cache.default' => 'database'],
            [],
            ['default', 'cache', 'database'],
        ];
        yield 'the queue is none' => ['L9', ['queue.default' => 'sync'], [], ['default', 'sync']];
        yield 'the queue in the database' => ['L9', ['queue.default' => 'database'], [], ['default', 'database']];
        yield 'workers ask' => ['L12', ['queue.connections.redis.block_for' => null], [], ["'redis'", 'block_for']];
        yield 'workers wait for ever' => [
            'L12',
            ['queue.connections.redis.block_for' => 0],
            [],
            ["'redis'", 'block_for', '0'],
        ];
        yield 'debugging words' => ['L13', ['logging.channels.single.level' => 'debug'], [], ["'single'", 'debug']];
        yield 'debugging words in a stack of stacks' => [
            'L13',
            [
                'logging.default' => 'outer',
                'logging.channels.outer' => ['driver' => 'stack', 'channels' => ['stack', 'outer']],
                'logging.channels.single.level' => 'DEBUG',
            ],
            [],
            ["'single'", 'debug'],
        ];
        yield 'Pulse' => [
            'L15',
            ['pulse' => ['enabled' => true, 'ingest' => ['driver' => 'storage']]],
            ['providers' => ['Laravel\\Pulse\\PulseServiceProvider']],
            ['Pulse', 'storage'],
        ];
        yield 'locks in the cache' => ['L16', ['cache.stores.redis.lock_connection' => 'cache'], [], ["'redis'"]];
        yield 'no setting says where locks are' => [
            'L16',
            ['cache.stores.redis.lock_connection' => null],
            [],
            ["'redis'"],
        ];
        yield 'Telescope' => [
            'L14',
            [],
            ['providers' => ['Laravel\\Telescope\\TelescopeServiceProvider']],
            ['Telescope'],
        ];
        yield from self::figuresThatHurt();
    }

    /**
     * @return iterable<string, array{
     *     string,
     *     array<string, mixed>,
     *     array{
     *         isDebugging?: bool,
     *         environment?: string,
     *         cached?: list<string>,
     *         providers?: list<string>,
     *         workers?: list<QueueWorker>,
     *         calls?: list<string>,
     *         isOptimized?: ?bool,
     *         php?: CommandLinePhp,
     *         classes?: list<JobClass>,
     *     },
     *     list<string>,
     * }> the last is what the message names
     */
    private static function figuresThatHurt(): iterable
    {
        yield 'blocks as long as the client waits' => [
            'R12',
            ['database.redis.default.read_timeout' => 5],
            [],
            ["'redis'", '5', 'read_timeout'],
        ];
        yield 'blocks longer than the client waits' => [
            'R12',
            ['database.redis.default.read_timeout' => '1.0'],
            [],
            ["'redis'", '5', '1'],
        ];
        yield 'blocks nearly as long' => [
            'R12',
            ['database.redis.default.read_timeout' => 5.4],
            [],
            ["'redis'", '5', '5.4'],
        ];
        yield 'blocks until there is a job' => [
            'R12',
            ['queue.connections.redis.block_for' => 0],
            [],
            ["'redis'", 'block_for'],
        ];
        yield 'blocks until there is a job, with the default of PHP' => [
            'R12',
            ['queue.connections.redis.block_for' => 0, 'database.redis.default.read_timeout' => 0],
            [],
            ['60'],
        ];
        yield 'blocks longer than PHP waits by default' => [
            'R12',
            ['queue.connections.redis.block_for' => 90, 'database.redis.default.read_timeout' => null],
            [],
            ['90', '60'],
        ];
        yield 'the option of all takes the patience away' => [
            'R12',
            ['database.redis.options.read_timeout' => 2],
            [],
            ['5', '2'],
        ];
        yield 'its own option takes the patience away' => [
            'R12',
            ['database.redis.options.read_timeout' => 9, 'database.redis.default.options' => ['read_timeout' => 1]],
            [],
            ['5', '1'],
        ];
        yield 'its address takes the patience away' => [
            'R12',
            ['database.redis.default.url' => 'redis://u:secret@h:1/0?read_timeout=1'],
            [],
            ['5', '1'],
        ];
        yield 'a queue that is not the default one' => [
            'R12',
            [
                'queue.default' => 'sync',
                'queue.connections.slow' => ['driver' => 'redis', 'connection' => 'cache', 'block_for' => '3'],
            ],
            [],
            ["'slow'", '3', '2', "'cache'"],
        ];
        yield 'a queue on a cluster' => [
            'R12',
            [
                'queue.connections.redis.connection' => 'c',
                'database.redis.clusters' => [
                    'options' => ['read_timeout' => 4],
                    'c' => [['host' => 'h', 'port' => 1]],
                ],
            ],
            [],
            ['5', '4'],
        ];
        yield 'a queue on a cluster by Predis' => [
            'R12',
            [
                'database.redis.client' => 'predis',
                'queue.connections.redis.connection' => 'c',
                'database.redis.clusters' => ['c' => [
                    ['host' => 'h', 'port' => 1, 'read_write_timeout' => 9],
                    ['host' => 'g', 'port' => 1, 'read_write_timeout' => 3],
                ]],
            ],
            [],
            ['5', '3'],
        ];
        yield 'Predis has a limit of its own' => [
            'R12',
            ['database.redis.client' => 'predis', 'database.redis.default.read_write_timeout' => 2],
            [],
            ['5', '2', 'read_write_timeout'],
        ];
        yield 'Predis is told by its parameters' => [
            'R12',
            ['database.redis.client' => 'predis', 'database.redis.options.parameters' => ['read_write_timeout' => 3]],
            [],
            ['5', '3'],
        ];
        yield 'Predis is told by the parameters of one' => [
            'R12',
            [
                'database.redis.client' => 'predis',
                'database.redis.options.parameters' => [
                    'read_write_timeout' => 9,
                    'default' => ['read_write_timeout' => 4],
                ],
            ],
            [],
            ['5', '4'],
        ];
        yield 'PHP waits for a shorter time' => [
            'R12',
            ['database.redis.default.read_timeout' => 0],
            ['php' => new CommandLinePhp(4.0, '6.0.2')],
            ['5', '4'],
        ];
        yield 'an old phpredis takes no negative one' => [
            'R12',
            ['database.redis.default.read_timeout' => -1],
            ['php' => new CommandLinePhp(60.0, '5.3.7')],
            ['5', 'read_timeout'],
        ];
        yield 'Horizon takes longer than that' => [
            'L11',
            ['horizon' => ['defaults' => ['supervisor-1' => ['connection' => 'redis', 'timeout' => 90]]]],
            [],
            ['90'],
        ];
        yield 'Horizon of this environment' => [
            'L11',
            ['horizon' => [
                'defaults' => ['supervisor-1' => ['connection' => 'redis', 'timeout' => 60]],
                'environments' => ['production' => ['supervisor-1' => ['timeout' => 300]]],
            ]],
            [],
            ['300', '90'],
        ];
        yield 'a worker that waits for ever' => ['L11', [], ['workers' => [new QueueWorker(1, null, 0)]], ['90']];
        yield 'a supervisor of one environment alone' => [
            'L11',
            ['horizon' => ['environments' => ['production' => ['only' => [
                'connection' => 'database',
                'timeout' => 91,
            ]]]]],
            [],
            ['91', '90'],
        ];
        yield 'a section of Horizon by a pattern' => [
            'L11',
            ['horizon' => ['environments' => ['*' => ['s' => ['timeout' => 600]]]]],
            [],
            ['600'],
        ];
        yield 'Horizon moves a supervisor to another connection' => [
            'L11',
            [
                'horizon' => [
                    'defaults' => ['s' => ['connection' => 'redis', 'timeout' => 80]],
                    'environments' => ['production' => ['s' => ['connection' => 'slow']]],
                ],
                'queue.connections.slow' => ['driver' => 'redis', 'retry_after' => 70],
            ],
            [],
            ['80', '70'],
        ];
        yield 'a queue without a known worker' => ['L11', ['queue.connections.database.retry_after' => 60], [], ['60']];
        yield 'a queue of beanstalkd' => [
            'L11',
            ['queue.connections.tube' => ['driver' => 'beanstalkd', 'retry_after' => '30']],
            [],
            ['60', '30'],
        ];
        yield 'no retry_after is one of 60' => ['L11', ['queue.connections.redis.retry_after' => null], [], ['60']];
        yield 'a class of jobs' => [
            'L11',
            [],
            ['classes' => [new JobClass('Import', 600, null, 'app/Jobs/Import.php:9')]],
            ['600', '90'],
        ];
        yield 'a class of jobs for another connection' => [
            'L11',
            ['queue.connections.slow' => ['driver' => 'redis', 'retry_after' => 700]],
            ['classes' => [new JobClass('Import', 900, 'slow', 'app/Jobs/Import.php:9')]],
            ['900', '700'],
        ];
    }

    /**
     * @param array<string, mixed> $config
     * @param array{
     *     isDebugging?: bool,
     *     environment?: string,
     *     cached?: list<string>,
     *     providers?: list<string>,
     *     workers?: list<QueueWorker>,
     *     calls?: list<string>,
     *     isOptimized?: ?bool,
     *     php?: CommandLinePhp,
     *     classes?: list<JobClass>,
     * } $other
     * @param list<string> $shown
     */
    #[Test]
    #[DataProvider('firing')]
    public function it_fires(string $id, array $config, array $other, array $shown): void
    {
        $problems = (new Examination([self::check($id)]))->of(Applications::with($config, ...$other))->problems();

        Examined::shows(
            $shown,
            implode("\n", array_map(static fn (Verdict $verdict): string => $verdict->finding->message, $problems)),
        );
        self::assertNotSame([], $problems);

        foreach ($problems as $problem) {
            self::assertNotSame([], $problem->finding->evidence);
            self::assertNotSame('', $problem->finding->consequence);
            self::assertNotNull($problem->finding->fix);
            self::assertNotSame('', $problem->finding->fix->rollback);
        }
    }

    #[Test]
    #[Group('snapshot')]
    public function each_problem_has_its_message(): void
    {
        $words = '';

        foreach (self::firing() as $name => [$id, $config, $other]) {
            foreach ((new Examination([self::check($id)]))->of(Applications::with(
                $config,
                ...$other,
            ))->problems() as $problem) {
                $words .= "{$id}, {$name}: {$problem->finding->message}\n";
            }
        }

        Snapshot::assertPrinted('doctor application', 'problems', $words);
    }

    /**
     * @return iterable<string, array{
     *     string,
     *     array<string, mixed>,
     *     array{
     *         isDebugging?: bool,
     *         environment?: string,
     *         cached?: list<string>,
     *         providers?: list<string>,
     *         workers?: list<QueueWorker>,
     *         calls?: list<string>,
     *         isOptimized?: ?bool,
     *         php?: CommandLinePhp,
     *         classes?: list<JobClass>,
     *     },
     *     Status,
     * }>
     */
    public static function quiet(): iterable
    {
        foreach (self::IDS as $id) {
            yield "{$id}: a good application" => [
                $id,
                [],
                [],
                in_array($id, ['L14', 'L15'], true) ? Status::Skipped : Status::Pass,
            ];
        }

        yield 'R1: persistent of the one, and no option of all' => [
            'R1',
            [
                'database.redis.options' => null,
                'database.redis.default.persistent' => true,
                'database.redis.cache.persistent' => 'true',
            ],
            [],
            Status::Pass,
        ];
        yield 'R1: a connection that nothing uses' => [
            'R1',
            ['database.redis.other' => ['host' => 'h', 'options' => ['persistent' => false]]],
            [],
            Status::Pass,
        ];
        yield 'R1: no Redis' => [
            'R1',
            ['session.driver' => 'file', 'cache.default' => 'file', 'queue.default' => 'sync'],
            [],
            Status::Skipped,
        ];
        yield 'R1: a cluster is not looked into' => [
            'R1',
            [
                'session.connection' => 'c',
                'cache.stores.redis.connection' => 'c',
                'queue.connections.redis.connection' => 'c',
                'database.redis.clusters' => ['c' => [['host' => 'h', 'port' => 1]]],
            ],
            [],
            Status::Unknown,
        ];
        yield 'R4: a cluster is not looked into' => [
            'R4',
            ['session.connection' => 'c', 'database.redis.clusters' => ['c' => [['host' => 'h', 'port' => 1]]]],
            [],
            Status::Unknown,
        ];
        yield 'R2: not persistent' => [
            'R2',
            ['database.redis.options.persistent' => false, 'database.redis.default.database' => null],
            [],
            Status::Skipped,
        ];
        yield 'R2: another place' => [
            'R2',
            ['database.redis.default.database' => null, 'database.redis.cache.port' => '6380'],
            [],
            Status::Pass,
        ];
        yield 'R2: no connection has a database' => [
            'R2',
            ['database.redis.default.database' => null, 'database.redis.cache.database' => null],
            [],
            Status::Pass,
        ];
        yield 'R4: an option of all' => [
            'R4',
            ['database.redis.default.timeout' => null, 'database.redis.options.timeout' => 0.5],
            [],
            Status::Pass,
        ];
        yield 'R11: nothing uses it' => [
            'R11',
            [
                'database.redis.client' => 'predis',
                'session.driver' => 'file',
                'cache.default' => 'file',
                'queue.default' => 'sync',
            ],
            [],
            Status::Skipped,
        ];
        yield 'L1: on a developer\'s machine' => [
            'L1',
            [],
            ['cached' => [], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L1: other caches are missing' => ['L1', [], ['cached' => ['config']], Status::Pass];
        yield 'L2: on a developer\'s machine' => [
            'L2',
            [],
            ['cached' => [], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L2: other caches are missing' => ['L2', [], ['cached' => ['routes']], Status::Pass];
        yield 'L3: on a developer\'s machine' => [
            'L3',
            [],
            ['cached' => [], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L3: other caches are missing' => ['L3', [], ['cached' => ['events', 'views']], Status::Pass];
        yield 'L4: on a developer\'s machine' => [
            'L4',
            [],
            ['isDebugging' => true, 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L6: on a developer\'s machine' => [
            'L6',
            [],
            ['isOptimized' => false, 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L6: it is not known' => ['L6', [], ['isOptimized' => null], Status::Unknown];
        yield 'L7: memcached' => ['L7', ['session.driver' => 'memcached'], [], Status::Pass];
        yield 'L8: a store whose name is that of a driver' => [
            'L8',
            ['cache.default' => 'file', 'cache.stores.file.driver' => 'apc'],
            [],
            Status::Pass,
        ];
        yield 'L9: sqs' => [
            'L9',
            ['queue.default' => 'sqs', 'queue.connections.sqs.driver' => 'sqs'],
            [],
            Status::Pass,
        ];
        yield 'L15: its ingest is Redis' => [
            'L15',
            ['pulse' => ['enabled' => true, 'ingest' => ['driver' => 'redis']]],
            ['providers' => ['Laravel\\Pulse\\PulseServiceProvider']],
            Status::Pass,
        ];
        yield 'L16: another server' => [
            'L16',
            ['database.redis.default' => ['database' => '1', 'port' => '6380']],
            [],
            Status::Pass,
        ];
        yield 'R4: Predis has its own' => [
            'R4',
            [
                'database.redis.client' => 'predis',
                'database.redis.default.read_write_timeout' => 9,
                'database.redis.cache.read_write_timeout' => 2,
            ],
            [],
            Status::Pass,
        ];
        yield 'R4: the address says it' => [
            'R4',
            [
                'database.redis.default.read_timeout' => null,
                'database.redis.default.url' => 'redis://h:1?read_timeout=9',
            ],
            [],
            Status::Pass,
        ];
        yield 'L12: another queue' => ['L12', ['queue.default' => 'database'], [], Status::Skipped];
        yield 'L13: a channel that is not in use' => [
            'L13',
            ['logging.channels.other' => ['driver' => 'single', 'level' => 'debug']],
            [],
            Status::Pass,
        ];
        yield 'L14: switched off' => [
            'L14',
            ['telescope.enabled' => 'false'],
            ['providers' => ['Laravel\\Telescope\\TelescopeServiceProvider']],
            Status::Pass,
        ];
        yield 'L14: on a developer\'s machine' => [
            'L14',
            [],
            ['providers' => ['Laravel\\Telescope\\TelescopeServiceProvider'], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield from self::figuresThatDoNot();
    }

    /**
     * @return iterable<string, array{
     *     string,
     *     array<string, mixed>,
     *     array{
     *         isDebugging?: bool,
     *         environment?: string,
     *         cached?: list<string>,
     *         providers?: list<string>,
     *         workers?: list<QueueWorker>,
     *         calls?: list<string>,
     *         isOptimized?: ?bool,
     *         php?: CommandLinePhp,
     *         classes?: list<JobClass>,
     *     },
     *     Status,
     * }>
     */
    private static function figuresThatDoNot(): iterable
    {
        yield 'L11: Horizon ends first' => [
            'L11',
            ['horizon' => [
                'defaults' => ['supervisor-1' => ['connection' => 'redis', 'timeout' => 60]],
                'environments' => ['local' => ['supervisor-1' => ['timeout' => 300]]],
            ]],
            [],
            Status::Pass,
        ];
        yield 'L11: a worker ends first' => ['L11', [], ['workers' => [new QueueWorker(1, 'redis', 89)]], Status::Pass];
        yield 'L11: a connection without retry_after' => [
            'L11',
            [],
            ['workers' => [new QueueWorker(1, 'sqs', 600)]],
            Status::Pass,
        ];
        yield 'L11: jobs within requests' => [
            'L11',
            [
                'queue.default' => 'sync',
                'queue.connections' => ['redis' => ['retry_after' => null], 'database' => ['retry_after' => null]],
            ],
            [],
            Status::Skipped,
        ];
        yield 'L11: SQS alone knows' => [
            'L11',
            [
                'queue.default' => 'sqs',
                'queue.connections.sqs' => ['driver' => 'sqs', 'prefix' => 'https://sqs.eu/1', 'queue' => 'a'],
            ],
            [],
            Status::Unknown,
        ];
        yield 'L11: a class that ends first' => [
            'L11',
            [],
            ['classes' => [new JobClass('A', 89, null, 'app/Jobs/A.php:9')]],
            Status::Pass,
        ];
        yield 'L11: a section of Horizon that matches comes first' => [
            'L11',
            ['horizon' => ['environments' => [
                'prod*' => ['s' => ['timeout' => 60]],
                '*' => ['s' => ['timeout' => 600]],
            ]]],
            [],
            Status::Pass,
        ];
        yield 'R12: half a second longer' => ['R12', ['database.redis.default.read_timeout' => 5.5], [], Status::Pass];
        yield 'R12: the default of PHP is longer' => [
            'R12',
            ['database.redis.default.read_timeout' => null],
            [],
            Status::Pass,
        ];
        yield 'R12: no queue blocks' => [
            'R12',
            ['queue.connections.redis.block_for' => null, 'database.redis.default.read_timeout' => 1],
            [],
            Status::Pass,
        ];
        yield 'R12: Predis waits forever' => [
            'R12',
            [
                'database.redis.client' => 'predis',
                'queue.connections.redis.block_for' => 0,
                'database.redis.default.read_write_timeout' => 0,
            ],
            [],
            Status::Pass,
        ];
        yield 'R12: Predis waits forever by -1' => [
            'R12',
            [
                'database.redis.client' => 'predis',
                'queue.connections.redis.block_for' => 0,
                'database.redis.default.read_write_timeout' => '-1',
            ],
            [],
            Status::Pass,
        ];
        yield 'R12: phpredis waits forever' => [
            'R12',
            ['queue.connections.redis.block_for' => 0, 'database.redis.default.read_timeout' => -1],
            [],
            Status::Pass,
        ];
        yield 'R12: PHP waits forever' => [
            'R12',
            ['queue.connections.redis.block_for' => 0, 'database.redis.default.read_timeout' => null],
            ['php' => new CommandLinePhp(-1.0, null)],
            Status::Pass,
        ];
        yield 'R12: the address gives the patience' => [
            'R12',
            [
                'database.redis.default.url' => 'redis://h:1/0?read_timeout=9',
                'database.redis.default.read_timeout' => 1,
            ],
            [],
            Status::Pass,
        ];
        yield 'R12: a negative one of an unknown phpredis' => [
            'R12',
            ['database.redis.default.read_timeout' => -1],
            ['php' => new CommandLinePhp(60.0, null)],
            Status::Unknown,
        ];
        yield 'R12: a connection that is not there' => [
            'R12',
            ['queue.connections.redis.connection' => 'gone'],
            [],
            Status::Unknown,
        ];
        yield 'R12: a client that is not known' => ['R12', ['database.redis.client' => 'relay'], [], Status::Unknown];
        yield 'R12: what is no number' => ['R12', ['queue.connections.redis.block_for' => 'soon'], [], Status::Unknown];
        yield 'R12: no queue in Redis' => ['R12', ['queue.connections.redis.driver' => 'sqs'], [], Status::Skipped];
    }

    /**
     * @return iterable<string, array{array<string, string>, bool}> files, and whether the command
     *     that makes the file is named
     */
    public static function files(): iterable
    {
        yield 'it has the file' => [['.env' => '', 'config/database.php' => '<?php return [];'], false];
        yield "it uses Laravel's own" => [['.env' => '', 'config/app.php' => '<?php return [];'], true];
        yield 'the files could not be read' => [[], false];
    }

    /** @param array<string, string> $texts */
    #[Test]
    #[DataProvider('files')]
    public function a_file_that_the_application_lacks_is_made_first(array $texts, bool $isMade): void
    {
        $app = new Application(
            '/app',
            '12.0.0',
            'production',
            false,
            [],
            [
                'session' => ['driver' => 'redis', 'connection' => 'default'],
                'database' => ['redis' => ['client' => 'phpredis', 'default' => ['host' => '127.0.0.1']]],
            ],
            texts: $texts,
        );
        $findings = (new NoTimeouts)->examine(new Facts([Application::class => static fn (): Application => $app]));

        $text = $findings[0]->fix->text ?? '';

        Examined::shows(["'default'", 'config/database.php'], $text);
        self::assertSame($isMade, str_contains($text, 'php artisan config:publish database'));
    }

    /**
     * @param array<string, mixed> $config
     * @param array{
     *     isDebugging?: bool,
     *     environment?: string,
     *     cached?: list<string>,
     *     providers?: list<string>,
     *     workers?: list<QueueWorker>,
     *     calls?: list<string>,
     *     isOptimized?: ?bool,
     *     php?: CommandLinePhp,
     *     classes?: list<JobClass>,
     * } $other
     */
    #[Test]
    #[DataProvider('quiet')]
    public function it_does_not_fire_beside_it(string $id, array $config, array $other, Status $status): void
    {
        $diagnosis = (new Examination([self::check($id)]))->of(Applications::with($config, ...$other));

        self::assertSame([], $diagnosis->problems());
        self::assertGreaterThan(0, $diagnosis->count($status));
        self::assertSame(0, $diagnosis->count(Status::Crashed));
    }

    private static function check(string $id): Check
    {
        foreach (Checks::all() as $check) {
            if ($check->rule()->id === $id) {
                return $check;
            }
        }

        self::fail("There is no check {$id}.");
    }
}
