<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Sealer;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Tests\Fault\Support\RemovedDirectory;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Format\GoldenFiles;
use Headroom\Tests\Format\PackageReader;
use Headroom\Tests\Format\Python;
use Headroom\Tests\Format\SegmentBuilder;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * docs/spool-format.md as files: what is committed below golden/v1 is what every version 1 must read, and read so.
 */
final class SpoolFormatTest extends TestCase
{
    private const GOLDEN = __DIR__.'/../Format/golden/v1';

    /** @return iterable<string, array{string}> */
    public static function logs(): iterable
    {
        foreach (self::named('log') as $name) {
            yield $name => [$name];
        }
    }

    /** @return iterable<string, array{string}> */
    public static function states(): iterable
    {
        foreach (self::named('state') as $name) {
            yield $name => [$name];
        }
    }

    #[Test]
    #[DataProvider('logs')]
    public function a_log_is_read_as_the_contract_says(string $name): void
    {
        self::assertSame(self::expected(basename($name, '.log')), PackageReader::file(self::GOLDEN."/{$name}"));
    }

    #[Test]
    public function the_independent_reader_reads_every_log_as_the_contract_says(): void
    {
        $seen = Python::readEach(array_map(
            static fn (string $name): string => self::GOLDEN."/{$name}",
            self::named('log'),
        ));

        foreach (self::named('log') as $name) {
            self::assertSame(self::expected(basename($name, '.log')), $seen[$name] ?? null, $name);
        }
    }

    #[Test]
    #[DataProvider('states')]
    public function both_readers_find_the_state_record_that_counts(string $name): void
    {
        self::assertSame(self::expected($name), PackageReader::state(self::GOLDEN."/{$name}"));
        self::assertSame(
            self::expected($name),
            PackageReader::canonical(Python::read(['--state', self::GOLDEN."/{$name}"])),
        );
    }

    #[Test]
    public function both_readers_read_a_whole_bucket_in_the_order_of_its_log(): void
    {
        $bucket = self::GOLDEN.'/disk/buckets/'.SegmentBuilder::BUCKET;

        self::assertSame(self::expected('disk'), PackageReader::bucket($bucket));
        self::assertSame(self::expected('disk'), PackageReader::canonical(Python::read([$bucket])));
        self::assertSame(
            self::expected('two-records.state'),
            PackageReader::canonical(Python::read(['--state', $bucket])),
        );
    }

    #[Test]
    public function the_writer_still_writes_the_committed_bytes(): void
    {
        $made = GoldenFiles::all();

        foreach ($made as $path => $content) {
            self::assertStringEqualsFile(self::GOLDEN."/{$path}", $content, $path);
        }

        self::assertEqualsCanonicalizing(
            self::committed(),
            array_keys($made),
            'A file was committed that nothing makes, or the other way round.',
        );
    }

    #[Test]
    public function a_written_and_sealed_segment_has_the_bytes_that_the_document_gives(): void
    {
        $root = sys_get_temp_dir().'/headroom-format-'.bin2hex(random_bytes(8));
        $clock = new SetClock(SegmentBuilder::EPOCH);
        $layout = new Layout($root, SegmentBuilder::BUCKET);
        $writer = new SegmentWriter(AppendConfig::fromArray(['path' => $root]), SegmentBuilder::BUCKET, $clock);
        $sealer = new Sealer(
            $layout,
            new StateFile($layout->stateFile, new Permissions),
            new DeadLetterDirectory($layout->dead, new Permissions),
            $clock,
        );

        try {
            $whole = self::written($writer, $layout);
            $sealer->sealAll();
            self::assertStringEqualsFile($layout->sealedSegment(1), $whole.str_repeat("\0", 17));

            // A killed writer, twice.
            self::written($writer, $layout, "\xF5HR");
            $odd = self::written($writer, $layout, "\xF5");
            $sealer->sealAll();
            self::assertStringEqualsFile($layout->sealedSegment(2), $odd.str_repeat("\0", 16));

            // A sealer that was killed before its rename, twice.
            self::written($writer, $layout, str_repeat("\0", 17));
            $closed = self::written($writer, $layout, str_repeat("\0", 17));
            $sealer->sealAll();
            self::assertStringEqualsFile($layout->sealedSegment(3), $closed);

            $lines = PackageReader::bucket($layout->directory);
            self::assertSame(PackageReader::canonical(Python::read([$layout->directory])), $lines);
            $kinds = array_count_values(array_map(static fn (string $line): string => substr($line, 0, 7), $lines));
            self::assertEquals(['{"file"' => 3, '{"gap":' => 2, '{"id":"' => 5 * 20], $kinds);
            self::assertStringNotContainsString('damaged', implode("\n", $lines));
        } finally {
            RemovedDirectory::remove($root);
        }
    }

    /**
     * The bytes of the active segment with 20 events, at even offsets, and with the rest that a killed process left.
     */
    private static function written(SegmentWriter $writer, Layout $layout, string $left = ''): string
    {
        $slot = "{$layout->active}/u".Permissions::currentUser().'-0000.log';

        foreach (range(1, 20) as $n) {
            $writer->append('{"n":"'.str_repeat('x', $n).'"}', 1);
            self::assertSame(0, strlen((string) file_get_contents($slot)) % 2);

            // The first ten open the slot each time.
            if ($n === 10) {
                $writer->keepSegmentOpen();
            }
        }

        $writer->closeSegment();
        file_put_contents($slot, $left, FILE_APPEND);

        return (string) file_get_contents($slot);
    }

    /** @return list<string> */
    private static function expected(string $name): array
    {
        return PackageReader::canonical((string) file_get_contents(self::GOLDEN."/{$name}.ndjson"));
    }

    /** @return list<string> */
    private static function named(string $extension): array
    {
        $names = scandir(self::GOLDEN);

        return array_values(array_filter(
            $names === false ? [] : $names,
            static fn (string $name): bool => str_ends_with($name, ".{$extension}"),
        ));
    }

    /** @return list<string> paths of all but the expectations */
    private static function committed(): array
    {
        $paths = [];
        $all = new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
            self::GOLDEN,
            RecursiveDirectoryIterator::SKIP_DOTS,
        ));

        foreach ($all as $file) {
            if ($file instanceof SplFileInfo && $file->getExtension() !== 'ndjson') {
                $paths[] = substr($file->getPathname(), strlen(self::GOLDEN) + 1);
            }
        }

        return $paths;
    }
}
