<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Position;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\UnableToFlush;
use RuntimeException;

/**
 * The package's reading of a file, in the words of spool_reader.py.
 */
final class PackageReader
{
    private const FLAGS = JSON_THROW_ON_ERROR
        | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_LINE_TERMINATORS
        | JSON_PRESERVE_ZERO_FRACTION;

    /** @return list<string> */
    public static function bucket(string $directory): array
    {
        $root = dirname($directory, 2);
        $layout = new Layout($root, basename($directory));
        $origin = NodeId::read($root).'/'.basename($directory);
        $lines = [];

        foreach ([$layout->completed, $layout->sealed] as $folder) {
            foreach ((new DirectoryListing($folder))->segments() as $sequence) {
                $name = Layout::segmentName($sequence);
                $lines = [
                    ...$lines, self::json(['file' => $name]), ...self::file("{$folder}/{$name}", $sequence, $origin),
                ];
            }
        }

        foreach ((new DirectoryListing($layout->active))->activeSegments() as $name) {
            $lines = [...$lines, self::json(['file' => $name]), ...self::file("{$layout->active}/{$name}")];
        }

        return $lines;
    }

    /**
     * @param int<0, max> $sequence
     * @return list<string>
     */
    public static function file(string $path, int $sequence = 0, string $origin = ''): array
    {
        $lines = [];

        foreach (self::items($path) as $item) {
            if ($item instanceof CorruptRange) {
                $lines[] = self::json([
                    'gap' => $item->torn ? 'torn' : 'damaged',
                    'offset' => $item->offset,
                    'end' => $item->end,
                ]);
            } elseif ($item->type === Frame::TYPE_EVENTS) {
                $lines = [...$lines, ...self::events($item, $sequence, $origin)];
            }
        }

        return $lines;
    }

    /** @return list<Frame|CorruptRange> */
    public static function items(string $path): array
    {
        $file = fopen($path, 'r');

        if ($file === false) {
            throw new RuntimeException("{$path} could not be opened.");
        }

        $items = iterator_to_array((new SegmentReader($file))->read(), false);
        fclose($file);

        return $items;
    }

    /** @return list<string> */
    public static function state(string $path): array
    {
        $file = new StateFile($path, new Permissions);

        try {
            $record = json_decode($file->read()->toJson(), false, 8, JSON_THROW_ON_ERROR);
        } catch (UnableToFlush) {
            return [self::json(['generation' => null, 'record' => null])];
        }

        return [self::json(['generation' => $file->generation(), 'record' => $record])];
    }

    /**
     * One spelling for the same content.
     *
     * @return list<string>
     */
    public static function canonical(string $ndjson): array
    {
        return $ndjson === '' ? [] : array_map(
            static fn (string $line): string => self::json(json_decode($line, false, 512, JSON_THROW_ON_ERROR)),
            explode("\n", rtrim($ndjson, "\n")),
        );
    }

    /**
     * @param int<0, max> $sequence
     * @return list<string>
     */
    private static function events(Frame $frame, int $sequence, string $origin): array
    {
        $lines = [];

        foreach (explode("\n", $frame->payload) as $index => $line) {
            [$values, $ownId, $replaced] = (new Codec)->decode($line);
            $position = (new Position($sequence, $frame->offset, min(65535, $index)))->toString();
            $lines[] = self::json([
                'id' => $ownId ?? ($origin === '' ? null : "{$origin}/{$position}/{$frame->acceptedAt}"),
                'position' => $position,
                'accepted_at' => $frame->acceptedAt,
                ...($replaced > 0 ? ['replaced' => $replaced] : []),
                'row' => (object) array_map(self::shown(...), $values),
            ]);
        }

        return count($lines) === $frame->count
            ? $lines
            : throw new RuntimeException("The frame at {$frame->offset} has another number of lines than it says.");
    }

    private static function shown(mixed $value): mixed
    {
        return match (true) {
            $value instanceof Json => ['json' => json_decode($value->text, false, 512, JSON_THROW_ON_ERROR)],
            $value instanceof Bytes => ['base64' => base64_encode($value->value)],
            $value instanceof DateTimeImmutable => ['date' => $value->format('Y-m-d\TH:i:s.uP')],
            default => $value,
        };
    }

    private static function json(mixed $content): string
    {
        return json_encode($content, self::FLAGS);
    }
}
