<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use RuntimeException;

/**
 * A bucket full of sealed events, one per frame as requests write them. Buffers made from it share its segments as
 * hard links, so later reads come from the page cache.
 */
final readonly class SealedEvents
{
    public const BUCKET = 'page-views';

    private function __construct(private ?TemporaryDirectory $directory, private Layout $layout) {}

    /** @param ?Closure(int): array<string, mixed> $event by its number; null for page views */
    public static function make(int $count, ?Closure $event = null): self
    {
        $event ??= Events::row(...);
        $directory = TemporaryDirectory::create('sealed');
        $slots = new SegmentWriter(AppendConfig::fromArray(['path' => "{$directory->path}/buffer"]), self::BUCKET);
        $slots->keepSegmentOpen();
        $codec = new Codec;

        for ($n = 0; $n < $count; $n++) {
            $slots->append($codec->encode($event($n)), 1);
        }

        $slots->closeSegment();
        $store = new FileStore("{$directory->path}/buffer", new Permissions, new SystemClock);
        self::seal($store);

        return new self($directory, $store->layout(self::BUCKET));
    }

    /** From an existing buffer. */
    public static function at(string $root): self
    {
        return new self(null, new Layout($root, self::BUCKET));
    }

    /** A new buffer with the same events, which no ledger knows. */
    public function copyTo(string $root): void
    {
        $copy = new Layout($root, self::BUCKET);
        mkdir($copy->sealed, 0700, true);
        mkdir($copy->active);

        foreach ($this->segments() as $segment) {
            link($segment, "{$copy->sealed}/".basename($segment))
                || throw new RuntimeException("No hard link to {$segment} could be made in {$root}.");
        }

        is_file($this->layout->stateFile) && copy($this->layout->stateFile, $copy->stateFile);
        file_put_contents("{$root}/node", bin2hex(random_bytes(16)));
    }

    /** A buffer that has been used and is empty. */
    public static function makeEmpty(string $root): void
    {
        $empty = self::make(0);
        $empty->copyTo($root);
        $empty->remove();
    }

    /** @return list<string> */
    public function segments(): array
    {
        return glob("{$this->layout->sealed}/*.seg") ?: [];
    }

    public function remove(): void
    {
        $this->directory?->remove();
    }

    private static function seal(FileStore $store): void
    {
        $lease = $store->claim(self::BUCKET) ?? throw new RuntimeException('Another process flushes.');

        $lease->seal();
        $lease->close(Position::start());

        if (glob("{$store->layout(self::BUCKET)->active}/*.log") !== []) {
            throw new RuntimeException('Not all slots were sealed.');
        }
    }
}
