<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

/**
 * A Markdown file, and what of it can be held against the repository.
 */
final readonly class Document
{
    /** @param string $path from the root of the repository */
    public function __construct(public string $path, private string $text) {}

    public static function fromFile(string $path): self
    {
        return new self($path, Files::read($path));
    }

    /** @return list<self> what people read: the root's papers, docs/, and every README */
    public static function all(): array
    {
        $root = scandir(Files::root());
        $paths = [
            ...($root === false ? [] : $root),
            ...Files::in('docs'),
            ...Files::in('benchmarks'),
            ...Files::in('dev'),
            'workbench/README.md',
        ];

        return array_map(
            self::fromFile(...),
            array_values(array_filter($paths, static fn (string $path): bool => str_ends_with($path, '.md'))),
        );
    }

    /** @return list<string> links that lead nowhere */
    public function brokenLinks(): array
    {
        preg_match_all('/\[[^\]]*\]\(([^)\s]+)\)/', $this->prose(), $links);
        $broken = [];

        foreach ($links[1] as $link) {
            if (preg_match('/^([a-z]+:|\/\/)/', $link) === 1) {
                continue;
            }

            [$file, $anchor] = [...explode('#', $link, 2), ''];
            $target = $file === '' ? $this->path : $this->beside($file);

            if ($file !== '' && ! file_exists(Files::root().'/'.$target)) {
                $broken[] = "{$this->path}: {$link} leads to {$target}, which is not there.";
            } elseif ($anchor !== '' && ! in_array($anchor, $this->at($target)->anchors(), true)) {
                $broken[] = "{$this->path}: {$link}: {$target} has no heading for #{$anchor}.";
            }
        }

        return $broken;
    }

    /**
     * @param list<string> $targets
     * @return list<string>
     */
    public function unknownMakeTargets(array $targets): array
    {
        preg_match_all('/(?<![\w-])make +([a-z][a-z0-9-]*\*?)/', $this->code(), $named);

        return $this->unknown($named[1], $targets, 'make %s is not in the Makefile');
    }

    /**
     * @param list<string> $commands
     * @return list<string>
     */
    public function unknownCommands(array $commands): array
    {
        preg_match_all('/(?<![\w:-])(spool:[a-z-]+\*?)/', $this->code(), $named);

        return $this->unknown($named[1], $commands, '%s is not a command');
    }

    /** @return list<array{program: string, command: string, options: list<string>}> of this package's two programs */
    public function commandLines(): array
    {
        preg_match_all(
            '~(?<![\w/.-])(php artisan|(?:[\w./-]*bin/)?headroom) ([a-z]+(?::[a-z-]+)*)(?![\w:.(]|-[a-z])'
                .'((?:\\\\\n|[^\n`|#&;)])*)~',
            $this->code(),
            $lines,
            PREG_SET_ORDER,
        );

        return array_map(static function (array $line): array {
            preg_match_all('/(?<=\s)--([a-z][a-z-]*)/', $line[3], $options);

            return ['program' => $line[1], 'command' => $line[2], 'options' => $options[1]];
        }, $lines);
    }

    /** @return list<string> such as "8.2" */
    public function phpVersions(): array
    {
        preg_match_all('/\bPHP (?:\^|>=|≥)? ?(\d+\.\d+)/u', $this->text, $versions);

        return array_values(array_unique($versions[1]));
    }

    /** @return list<string> such as "11" */
    public function laravelVersions(): array
    {
        preg_match_all('/\bLaravel (\d+(?:(?:,| and| or|,? &| to|\/|–|-) ?\d+)*)/u', $this->text, $lists);
        preg_match_all('/\d+/', implode(' ', $lists[1]), $versions);

        return array_values(array_unique($versions[0]));
    }

    /**
     * Paths, packages and units that exist where PHP is of that version and nowhere else. A version beside words, or as
     * what a program printed of itself, is a fact.
     *
     * @return list<string>
     */
    public function pathsOfOnePhp(): array
    {
        preg_match_all(
            '~\bphp(?:-(?:fpm|cli))?\d+(?:\.\d+)+[\w.-]*|(?<=/php/)\d+\.\d+\S*|(?<=/php)\d+\b\S*~i',
            $this->text,
            $named,
        );

        return array_map(
            fn (string $name): string
                => "{$this->path}: {$name} is of one version of PHP. Write X.Y, and that it is the reader's.",
            $named[0],
        );
    }

    /** @return list<string> what speaks of routes that a new application does not have, and not of what makes them */
    public function untoldApiRoutes(): array
    {
        // A host before it makes it another person's address.
        preg_match_all('~routes/api\.php|(?<![\w.:/-])/api\b(?!-)\S*~', $this->text, $named);

        return $this->says('php artisan install:api')
            ? []
            : array_map(
                fn (string $name): string => "{$this->path}: {$name} is there only after php artisan install:api.",
                array_values(array_unique($named[0])),
            );
    }

    public function says(string $text): bool
    {
        return str_contains($this->text, $text);
    }

    /** @return list<string> as GitHub makes them of headings */
    private function anchors(): array
    {
        preg_match_all('/^#+ +(.+)$/m', $this->text, $headings);

        return array_map(
            static fn (string $heading): string
                => str_replace(' ', '-', (string) preg_replace('/[^\w\- ]/u', '', mb_strtolower(trim($heading)))),
            $headings[1],
        );
    }

    private function beside(string $file): string
    {
        $directory = dirname($this->path);

        return $directory === '.' ? $file : $directory.'/'.$file;
    }

    private function at(string $path): self
    {
        return $path === $this->path ? $this : self::fromFile($path);
    }

    private function prose(): string
    {
        return (string) preg_replace(['/^ *```.*?^ *```/ms', '/`[^`\n]+`/'], '', $this->text);
    }

    private function code(): string
    {
        preg_match_all('/^ *```.*?^ *```|`[^`\n]+`/ms', $this->text, $code);

        return implode("\n", $code[0]);
    }

    /**
     * @param list<string> $named
     * @param list<string> $known
     * @return list<string>
     */
    private function unknown(array $named, array $known, string $message): array
    {
        $unknown = array_filter(array_unique($named), static function (string $name) use ($known): bool {
            $matching = array_filter($known, static fn (string $one): bool => $one === $name
                || (str_ends_with($name, '*') && str_starts_with($one, substr($name, 0, -1))));

            return $matching === [];
        });

        return array_values(array_map(
            fn (string $name): string => "{$this->path}: ".sprintf($message, $name).'.',
            $unknown,
        ));
    }
}
