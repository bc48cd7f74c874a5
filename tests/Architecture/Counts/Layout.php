<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * Where classes lie: folders that import each other, folders that are full, names that occur twice.
 */
final readonly class Layout
{
    /** The rooms that are rebuilt first; one that does not exist counts nothing. */
    public const FIRST_HALF = [
        'Charts', 'Console', 'Core', 'Host', 'Laravel', 'Process', 'Sink', 'Spool', 'Support', 'Testing',
    ];

    private const MOST_FILES = 20;

    private const MOST_PARAMETERS = 15;

    /** @param list<ParsedFile> $files */
    public function __construct(private array $files) {}

    /** @return list<Count> */
    public function counts(): array
    {
        $inside = array_filter($this->pairs(self::folderOfClass(...)), self::isInsideARoom(...));
        $first = array_filter($inside, self::isOfFirstHalf(...));

        return [
            Count::of('two_way_pairs.rooms', self::told($this->pairs(self::roomOfClass(...)))),
            Count::of('two_way_pairs.first_half', self::told($first)),
            Count::of('two_way_pairs.all', self::told($inside)),
            Count::of('folders_over_twenty', $this->fullFolders()),
            Count::of('long_constructors', $this->longConstructors()),
            ...$this->repeatedNames(),
        ];
    }

    /**
     * @param callable(string): string $nodeOf the folder that a class lies in
     * @return list<array{string, string, int, int}> two nodes, imports by the first, imports by the second
     */
    private function pairs(callable $nodeOf): array
    {
        $imports = $this->imports($nodeOf);
        $pairs = [];

        foreach ($imports as $from => $targets) {
            foreach ($targets as $to => $number) {
                if ($from < $to && isset($imports[$to][$from])) {
                    $pairs[] = [$from, $to, $number, $imports[$to][$from]];
                }
            }
        }

        usort($pairs, static fn (array $a, array $b): int => $b[2] + $b[3] <=> $a[2] + $a[3]);

        return $pairs;
    }

    /**
     * @param callable(string): string $nodeOf
     * @return array<string, array<string, int>> pairs of classes, by the importing and the imported node
     */
    private function imports(callable $nodeOf): array
    {
        $known = [];
        $imports = [];

        foreach ($this->files as $file) {
            foreach ($file->classes as $class) {
                $known[$class->name] = $nodeOf($class->name);
            }
        }

        foreach ($this->files as $file) {
            $from = $known[$file->classes[0]->name ?? ''] ?? '';

            foreach (array_intersect_key($known, array_flip($file->uses)) as $to) {
                $imports[$from][$to] = ($imports[$from][$to] ?? 0) + 1;
            }
        }

        return $imports;
    }

    /**
     * @param array<array{string, string, int, int}> $pairs
     * @return list<string>
     */
    private static function told(array $pairs): array
    {
        return array_values(array_map(
            static fn (array $pair): string => vsprintf('%1$s → %2$s %3$d times, %2$s → %1$s %4$d times', $pair),
            $pairs,
        ));
    }

    /** @param array{string, string, int, int} $pair */
    private static function isInsideARoom(array $pair): bool
    {
        return self::roomOf($pair[0]) === self::roomOf($pair[1]);
    }

    /** @param array{string, string, int, int} $pair */
    private static function isOfFirstHalf(array $pair): bool
    {
        return in_array(self::roomOf($pair[0]), self::FIRST_HALF, true);
    }

    private static function roomOf(string $folder): string
    {
        return explode('\\', $folder)[0];
    }

    private static function roomOfClass(string $class): string
    {
        return explode('\\', $class)[1];
    }

    /** "Spool\File" for a class in it or below it, "Spool" for a class at the door. */
    private static function folderOfClass(string $class): string
    {
        $folders = array_slice(explode('\\', $class), 1, -1);

        return implode('\\', array_slice($folders, 0, 2));
    }

    /** @return list<string> */
    private function fullFolders(): array
    {
        $folderOf = static fn (ParsedFile $file): string => dirname($file->path);
        $files = array_count_values(array_map($folderOf, $this->files));
        $full = array_filter($files, static fn (int $number): bool => $number > self::MOST_FILES);
        arsort($full);

        return array_map(static fn (string $folder): string => "{$folder}: {$full[$folder]} files", array_keys($full));
    }

    /** @return list<string> */
    private function longConstructors(): array
    {
        $long = [];

        foreach ($this->files as $file) {
            foreach ($file->classes as $class) {
                if ($class->constructorParameters > self::MOST_PARAMETERS) {
                    $long["{$file->path}: {$class->constructorParameters} parameters"] = $class->constructorParameters;
                }
            }
        }

        arsort($long);

        return array_keys($long);
    }

    /** @return list<Count> */
    private function repeatedNames(): array
    {
        $places = [];

        foreach ($this->files as $file) {
            foreach ($file->classes as $class) {
                $places[$class->shortName()][$file->room()][] = $file->path;
            }
        }

        ksort($places);
        $across = [];
        $inRooms = [];

        foreach ($places as $name => $rooms) {
            $paths = array_merge(...array_values($rooms));

            if (count($paths) > 1) {
                $across[] = "{$paths[0]}: {$name} is also in ".implode(', ', array_slice($paths, 1));
            }

            foreach ($rooms as $room => $inRoom) {
                if (count($inRoom) > 1) {
                    $inRooms[$room][] = "{$inRoom[0]}: {$name} is also in ".implode(', ', array_slice($inRoom, 1));
                }
            }
        }

        ksort($inRooms);
        $all = array_merge(...array_values($inRooms));
        $counts = [Count::of('repeated_names.in_rooms', $all), Count::of('repeated_names.all', $across)];

        foreach ($inRooms as $room => $repeated) {
            $counts[] = Count::partOf("repeated_names.in_rooms.{$room}", $repeated);
        }

        return $counts;
    }
}
