<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Support\Printed;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\InputStream;

/**
 * docs/running.md, "The order of events".
 */
final class EventOrderTest extends ApplicationTestCase
{
    /** Buffers its arguments, one by one, and keeps the file open until its standard input ends. */
    private const PROGRAM = <<<'PHP'
        <?php

        use Headroom\Laravel\Facades\Buffer;

        require __DIR__.'/bootstrap/autoload.php';
        $app = require __DIR__.'/bootstrap/app.php';
        $app->make(Illuminate\Contracts\Console\Kernel::class)->bootstrap();

        Buffer::hold(function () use ($argv): void {
            foreach (array_slice($argv, 1) as $name) {
                $note = str_ends_with($name, '*') ? ['note' => 'one column more'] : [];
                Buffer::bucket('api-events')->add(['event' => rtrim($name, '*'), ...$note]);
            }

            echo "buffered\n";
            stream_get_contents(STDIN);
        });
        PHP;

    protected function setUp(): void
    {
        parent::setUp();
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'heartbeats' => false, 'buckets' => ['api-events' =>"
                ." ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
        $this->app->execute('alter table api_events add column note text');
        $this->app->write('buffer.php', self::PROGRAM);
    }

    #[Test]
    public function rows_of_one_process_with_the_same_columns_keep_their_order(): void
    {
        $names = array_map(static fn (int $i): string => "a-{$i}", range(1, 250));
        $this->buffer(...$names);

        self::assertSame($names, $this->delivered());
    }

    #[Test]
    public function rows_with_other_columns_go_into_the_table_in_groups(): void
    {
        $this->buffer('1', '2*', '3', '4*', '5', '6*');

        self::assertSame(['1', '3', '5', '2', '4', '6'], $this->delivered());
    }

    #[Test]
    public function rows_of_two_processes_arrive_file_by_file(): void
    {
        $input = new InputStream;
        $other = $this->app->process([Programs::php(), 'buffer.php', 'b-1', 'b-2']);
        $other->setInput($input);
        $other->start();
        Printed::by($other, 'buffered');
        // The first file is locked, so these go into the second one.
        $this->buffer('a-1', 'a-2');
        $input->close();
        $other->wait();
        // The first file is free again: these are accepted last, and they are before a-1 in the log.
        $this->buffer('a-3');

        self::assertSame(['b-1', 'b-2', 'a-3', 'a-1', 'a-2'], $this->delivered());
    }

    private function buffer(string ...$names): void
    {
        $outcome = $this->app->run([Programs::php(), 'buffer.php', ...array_values($names)]);
        self::assertSame("buffered\n", $outcome->out, $outcome->all());
    }

    /** @return list<mixed> by the number that the table has given them */
    private function delivered(): array
    {
        $flushed = $this->app->artisan('spool:flush');
        self::assertSame(0, $flushed->exit, $flushed->all());

        return array_column($this->app->rows('select event from api_events order by id'), 'event');
    }
}
