<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Facades\Buffer;
use Headroom\Laravel\Log\SpoolHandler;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use Monolog\Logger;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * Lines of a log in a real index as `collect:install` makes it: no line is refused there.
 */
final class LogsInAnIndexTest extends TestCase
{
    private const STREAM = 'headroom-log-tests';

    private ?OnWorkbench $on = null;

    protected function tearDown(): void
    {
        $this->on?->shut();
    }

    #[Test]
    public function lines_whose_context_has_now_this_and_now_that_are_all_found(): void
    {
        $server = EventStreams::get();
        $server->remove(self::STREAM);

        try {
            $server->installed(self::STREAM);
            $this->on = OnWorkbench::with(
                WorkbenchDatabase::Sqlite,
                ['logs' => ['sink' => 'elasticsearch', 'url' => $server->url, 'index' => self::STREAM]],
            );
            $logger = new Logger('app', [new SpoolHandler(static fn () => Buffer::bucket('logs'))]);

            foreach (self::contexts() as $context) {
                $logger->error('Something', $context);
            }

            $this->on->workbench->artisan('spool:flush', ['bucket' => 'logs']);
            $server->send('POST', '/'.self::STREAM.'/_refresh');
            $found = $server->send(
                'POST',
                '/'.self::STREAM.'/_count',
                '{"query":{"bool":{"filter":[{"term":{"type":"log"}},{"term":{"level_name":"ERROR"}},'
                    .'{"range":{"level":{"gte":400}}}]}}}',
            );
            $one = $server->send(
                'POST',
                '/'.self::STREAM.'/_count',
                '{"query":{"term":{"context.exception.message":"It failed"}}}',
            );
        } finally {
            $server->remove(self::STREAM);
        }

        self::assertSame(0, $this->on->status()['logs']->events->dead);
        self::assertSame([count(self::contexts()), 1], [$found['count'] ?? null, $one['count'] ?? null]);
    }

    /** @return list<array<array-key, mixed>> */
    private static function contexts(): array
    {
        return [
            [],
            ['order' => 'A-1'],
            ['order' => 7],
            ['order' => ['id' => 7, 'lines' => [1, 'two', ['three' => 3.5]]]],
            ['a list', 'of texts'],
            ['' => 'no name', 'a.b' => 1, 'a' => ['b' => 2], '.' => 1, '..' => ['.' => 1]],
            ['exception' => new RuntimeException('It failed', previous: new RuntimeException('The cause'))],
            [
                'long' => str_repeat('é', 100_000),
                'many' => array_fill_keys(range(1, 3_000), 'x'),
                str_repeat('k', 1_000) => str_repeat('v', 40_000),
            ],
            [
                'deep' => [[[[[[[[[[1]]]]]]]]]],
                'nothing' => null,
                'yes' => true,
                'number' => 1e300,
                'big' => PHP_INT_MAX,
            ],
        ];
    }
}
