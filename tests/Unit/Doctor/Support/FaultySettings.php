<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Laravel\Queue\JobClass;

/**
 * Settings of an application that make a check fire.
 *
 * @phpstan-import-type OtherFacts from Applications
 */
final readonly class FaultySettings
{
    /**
     * @return iterable<string, array{string, array<string, mixed>, OtherFacts, list<string>}> the last
     *     is what the message names
     */
    public static function all(): iterable
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
        yield 'a timeout of zero' => [
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
        yield 'Predis takes zero for no limit' => [
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
        yield 'workers wait forever' => [
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
     * @return iterable<string, array{string, array<string, mixed>, OtherFacts, list<string>}> the last
     *     is what the message names
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
            ['php' => new PhpCli(4.0, '6.0.2')],
            ['5', '4'],
        ];
        yield 'an old phpredis takes no negative one' => [
            'R12',
            ['database.redis.default.read_timeout' => -1],
            ['php' => new PhpCli(60.0, '5.3.7')],
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
        yield 'a worker that waits forever' => ['L11', [], ['workers' => [new QueueWorker(1, null, 0)]], ['90']];
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
}
