<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * The output of `nginx -T`: every file once, in the order in which nginx first opened it.
 *
 * @internal
 */
final readonly class NginxDump implements ConfigFiles
{
    private const MARKER = '/^# configuration file (.+):\r?\n/m';

    /** @param non-empty-array<string, string> $texts by path */
    private function __construct(private array $texts) {}

    /** Null where the text has no marker of a file, or two of one: then a comment of a file looks like one. */
    public static function fromText(string $text): ?self
    {
        $count = preg_match_all(self::MARKER, $text, $markers);
        $texts = array_slice((array) preg_split(self::MARKER, $text), 1);
        $byPath = array_combine($markers[1], array_filter($texts, is_string(...)));

        return $byPath === [] || count($byPath) !== $count ? null : new self($byPath);
    }

    public function root(): string
    {
        return array_key_first($this->texts);
    }

    /** @return list<string> */
    public function paths(): array
    {
        return array_map(strval(...), array_keys($this->texts));
    }

    public function text(string $path): ?string
    {
        return $this->texts[$path] ?? null;
    }

    public function matching(string $pattern): array
    {
        $paths = array_values(array_filter(
            $this->paths(),
            static fn (string $path): bool => fnmatch($pattern, $path, FNM_PATHNAME | FNM_PERIOD),
        ));
        sort($paths, SORT_STRING);

        return $paths;
    }
}
