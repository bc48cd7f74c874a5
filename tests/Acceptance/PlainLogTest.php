<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Process\Programs;
use Headroom\Spool\Buffer;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Dug;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * docs/uses/logs.md without Laravel: Monolog, headroom.php, and the command that delivers.
 */
final class PlainLogTest extends DirectoryTestCase
{
    #[Test]
    public function a_line_of_the_example_of_the_page_arrives(): void
    {
        Running::configure($this->directory->path, spool: [
            'path' => $this->directory->file('spool'),
            'min_free_bytes' => 0,
            'buckets' => ['logs' => ['sink' => 'file', 'path' => $this->directory->file('logs.ndjson')]],
        ]);
        self::assertSame(
            1,
            preg_match(
                '~^```php\n<\?php // log\.php\n(.*?)^```$~ms',
                Files::read('docs/uses/logs.md'),
                $example,
            ),
        );
        $autoload = (string) realpath(__DIR__.'/../../vendor/autoload.php');
        $process = new Process([
            Programs::php(),
            $this->directory->write(
                'shop.php',
                "<?php\n".str_replace("__DIR__.'/vendor/autoload.php'", "'{$autoload}'", $example[1]),
            ),
        ]);
        $process->run();
        self::assertSame('', $process->getOutput().$process->getErrorOutput());

        [$exit, $output] = Running::run($this->directory->path, 'spool:flush');
        self::assertSame(0, $exit, $output);
        $line = (string) file_get_contents($this->directory->file('logs.ndjson'));
        self::assertSame(
            ['log', 'ERROR', 'shop', 'Order was not handed on', 'A-1'],
            [
                ...array_map(
                    static fn (string $column): mixed => Dug::json($line, $column),
                    ['type', 'level_name', 'channel', 'message'],
                ),
                Dug::json($line, 'context', 'order'),
            ],
        );
    }

    #[Test]
    public function a_bucket_in_redis_is_refused_and_not_written_to_the_disk(): void
    {
        $buffer = Buffer::fromArray([
            'path' => $this->directory->file('spool'),
            'buckets' => ['logs' => ['store' => 'redis']],
        ]);
        $this->expectException(InvalidConfig::class);
        $this->expectExceptionMessage('spool.buckets.logs.store');

        $buffer->bucket('logs')->add(['n' => 1]);
    }
}
