<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore;

use ArrayObject;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;
use Symfony\Component\Process\Process;

final class LateBucketTest extends DirectoryTestCase
{
    private const BUCKET = 'api-events';

    #[Test]
    public function an_append_in_time_asks_nothing(): void
    {
        $asked = new ArrayObject;
        $writer = new SegmentWriter(
            AppendConfig::fromArray(['path' => $this->directory->path]),
            self::BUCKET,
            late: static function () use ($asked): void {
                $asked->append(1);
            },
        );
        $writer->append('{"a":1}', 1);
        $writer->append('{"a":1}', 1);
        self::assertCount(0, $asked);

        touch((new Layout($this->directory->path, self::BUCKET))->flushLock, time() - 301);
        clearstatcache();
        $writer->append('{"a":1}', 1);
        self::assertNotCount(0, $asked);
    }

    /** With `overflow` direct, an exception after the write would deliver the event twice. */
    #[Test]
    public function an_append_that_cannot_ask_has_succeeded(): void
    {
        $writer = new SegmentWriter(
            AppendConfig::fromArray(['path' => $this->directory->path]),
            self::BUCKET,
            late: static fn () => throw new RuntimeException('The container was flushed.'),
        );
        $writer->append('{"a":1}', 1);
        unlink((new Layout($this->directory->path, self::BUCKET))->flushLock);
        $writer->append('{"a":1}', 1);
        // As of an application that turns also silenced warnings into exceptions.
        set_error_handler(static fn (int $level, string $message): never => throw new RuntimeException($message));

        try {
            $writer->append('{"a":1}', 1);
        } finally {
            restore_error_handler();
        }

        $this->assertAppended(3);
    }

    #[Test]
    public function a_host_that_disables_filemtime_buffers_each_event_once(): void
    {
        $code = <<<'PHP'
            require $argv[1];
            $settings = Headroom\Spool\AppendConfig::fromArray(['path' => $argv[2]]);
            $late = static fn (): int => print 'late';
            (new Headroom\Spool\FileStore\Segment\SegmentWriter($settings, 'api-events', late: $late))
                ->append('{"a":1}', 1);
            PHP;
        $autoload = dirname(__DIR__, 4).'/vendor/autoload.php';
        // Code that opcache has compiled with the function would call it.
        $ini = ['-d', 'opcache.enable_cli=0', '-d', 'disable_functions=filemtime'];
        $php = [PHP_BINARY, ...$ini, '-r', $code, $autoload, $this->directory->path];
        $process = new Process($php);

        self::assertSame([0, ''], [$process->run(), $process->getOutput().$process->getErrorOutput()]);
        $this->assertAppended(1);
    }

    private function assertAppended(int $number): void
    {
        [$segment] = (new Layout($this->directory->path, self::BUCKET))->files();
        self::assertSame($number, substr_count((string) file_get_contents($segment), '{"a":1}'));
    }
}
