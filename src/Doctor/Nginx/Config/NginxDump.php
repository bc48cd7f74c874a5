<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * What `nginx -T` prints: every file once, in the order in which it was first opened.
 *
 * @internal
 */
final readonly class NginxDump implements ConfigFiles
{
    private const MARKER = '/^# configuration file (.+):\r?\n/m';

    /** @param array<string, string> $texts by path */
    private function __construct(private array $texts) {}

    /** @return ?self null when nothing in it looks like a file */
    public static function fromText(string $text): ?self
    {
        $count = preg_match_all(self::MARKER, $text, $markers, PREG_OFFSET_CAPTURE);
        $texts = [];
        $last = null;

        for ($i = 0; $i < (int) $count; $i++) {
            $from = $markers[0][$i][1] + strlen($markers[0][$i][0]);
            $to = $markers[0][$i + 1][1] ?? strlen($text);
            $path = $markers[1][$i][0];

            if ($last !== null && isset($texts[$path])) {
                // nginx prints no file twice: this is a comment of the file before, somebody kept
                // a dump as configuration.
                $texts[$last] .= $markers[0][$i][0].substr($text, $from, $to - $from);

                continue;
            }

            // The newline before the next marker is not the file's.
            $texts[$path] = substr($text, $from, $to - $from);
            $last = $path;
        }

        return $last === null ? null : new self($texts);
    }

    public function root(): string
    {
        return (string) array_key_first($this->texts);
    }

    /** @return list<string> */
    public function paths(): array
    {
        return array_map(strval(...), array_keys($this->texts));
    }

    /**
     * What looks like a file and is included by nobody was a comment of the file before.
     *
     * @param list<string> $paths
     */
    public function withoutMarkersOf(array $paths): self
    {
        $texts = [];
        $last = null;

        foreach ($this->texts as $path => $text) {
            if ($last !== null && in_array($path, $paths, true)) {
                $texts[$last] .= "# configuration file {$path}:\n{$text}";
            } else {
                $texts[$path] = $text;
                $last = $path;
            }
        }

        return new self($texts);
    }

    public function text(string $path): string
    {
        return $this->texts[$path] ?? throw UnableToRead::notPrinted();
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
