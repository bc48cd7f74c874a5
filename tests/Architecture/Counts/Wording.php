<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use Headroom\Tests\Architecture\Files;

/**
 * The texts of src/ and of the documents.
 */
final readonly class Wording
{
    private const DOCUMENTS = [
        'docs', 'resources/checks', 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'UPGRADING.md', 'config',
    ];

    private const LONGEST_MESSAGE = 300;

    private const ROOMS_OF_LARAVEL = ['Bench', 'Console', 'Laravel'];

    private const EXCEPTION = 'HeadroomException';

    /** @param list<ParsedFile> $files */
    public function __construct(private array $files) {}

    /** @return list<Count> */
    public function counts(): array
    {
        return [
            ...$this->bannedWords(),
            Count::of('long_messages', $this->longMessages()),
            Count::of('artisan_in_rooms', $this->artisan()),
        ];
    }

    /** @return list<Count> */
    public function ofDocuments(): array
    {
        $counts = [];

        foreach (self::DOCUMENTS as $name) {
            $found = [];

            foreach (is_dir(Files::root().'/'.$name) ? Files::in($name) : [$name] as $path) {
                if (preg_match('/\.(md|php)\z/', $path) === 1) {
                    array_push($found, ...self::at($path, BannedWords::inLines(Files::read($path))));
                }
            }

            $counts[] = Count::of("banned_words.{$name}", $found);
        }

        return $counts;
    }

    /** @return list<Count> */
    private function bannedWords(): array
    {
        $inFiles = [];

        foreach ($this->files as $file) {
            $found = array_merge(...array_map(BannedWords::inText(...), $file->texts));
            $inFiles[] = [$file->room(), self::at($file->path, $found)];
        }

        // The worst file first.
        usort($inFiles, static fn (array $a, array $b): int => count($b[1]) <=> count($a[1]));
        $byRoom = [];
        $first = [];

        foreach ($inFiles as [$room, $found]) {
            $byRoom[$room] = [...$byRoom[$room] ?? [], ...$found];
            $first = in_array($room, Layout::FIRST_HALF, true) ? [...$first, ...$found] : $first;
        }

        ksort($byRoom);
        $counts = [
            Count::of('banned_words.first_half', $first),
            Count::of('banned_words.src', array_merge(...array_column($inFiles, 1))),
        ];

        foreach ($byRoom as $room => $found) {
            $counts[] = Count::partOf("banned_words.src.{$room}", $found);
        }

        return $counts;
    }

    /** @return list<string> */
    private function longMessages(): array
    {
        $exceptions = $this->exceptions();
        $long = [];

        foreach ($this->files as $file) {
            foreach ($file->messages as $message) {
                $length = mb_strlen($message->text);

                if ($length > self::LONGEST_MESSAGE && isset($exceptions[$message->class])) {
                    $long["{$file->path}:{$message->line}: {$length} characters"] = $length;
                }
            }
        }

        arsort($long);

        return array_keys($long);
    }

    /** @return array<string, true> classes that are a HeadroomException, by a parent or an interface of theirs too */
    private function exceptions(): array
    {
        $parents = [];

        foreach ($this->files as $file) {
            foreach ($file->classes as $class) {
                $parents[$class->name] = $class->parents;
            }
        }

        $isOne = static function (string $class) use (&$isOne, $parents): bool {
            return str_ends_with($class, '\\'.self::EXCEPTION) || array_filter($parents[$class] ?? [], $isOne) !== [];
        };

        return array_fill_keys(array_filter(array_keys($parents), $isOne), true);
    }

    /** @return list<string> */
    private function artisan(): array
    {
        $found = [];

        foreach ($this->files as $file) {
            foreach (in_array($file->room(), self::ROOMS_OF_LARAVEL, true) ? [] : $file->texts as $text) {
                if (! $text->isComment && str_contains($text->text, 'php artisan')) {
                    $found[] = "{$file->path}:{$text->line}";
                }
            }
        }

        return $found;
    }

    /**
     * @param list<string> $found
     * @return list<string>
     */
    private static function at(string $path, array $found): array
    {
        return array_map(static fn (string $breach): string => "{$path}:{$breach}", $found);
    }
}
