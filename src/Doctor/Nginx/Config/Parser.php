<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Builds the tree of a configuration out of its files, and goes on where nginx would stop: what is wrong is named, what
 * stands around it is read.
 *
 * @internal
 */
final class Parser
{
    /** A file that includes two that include two and so on would have no end to be waited for. */
    private const MAX_FILES = 50_000;

    /** Read in all, and each byte makes about twenty of the tree. */
    private const MAX_BYTES = 64 << 20;

    public const GLOBALS = 'nginx -g';

    public readonly Grammar $grammar;

    public readonly ParseIssues $misreads;

    /** @var array<string, true> */
    private array $files = [];

    /** @var array<string, true> files that are being read */
    private array $open = [];

    private int $count = 0;

    private int $bytes = 0;

    /**
     * @param string $directory what names of included files are relative to: that of the outermost file,
     *     not nginx's prefix
     */
    private function __construct(private readonly ConfigFiles $source, private readonly string $directory)
    {
        $this->grammar = new Grammar;
        $this->misreads = new ParseIssues;
    }

    /**
     * @param string $globals what `nginx -g` says: directives that stand before the outermost file
     *
     * @throws UnableToRead the outermost file; what it includes is among the misreads then
     */
    public static function files(ConfigFiles $source, string $root, string $globals = ''): NginxConfig
    {
        $parser = new self($source, dirname($root));
        $main = new Block;

        if ($globals !== '') {
            (new FileParser($parser, self::GLOBALS, $globals, $main, null))->parse();
        }

        $parser->file($root, $source->text($root), $main, null);

        return new NginxConfig($main, $parser->misreads->all(), array_map(strval(...), array_keys($parser->files)));
    }

    /** Of `nginx -T`. */
    public static function dump(NginxDump $dump, string $globals = ''): NginxConfig
    {
        $config = self::files($dump, $dump->root(), $globals);
        $strangers = array_values(array_diff($dump->paths(), $config->files));

        if ($strangers === []) {
            return $config;
        }

        $merged = $dump->withoutMarkersOf($strangers);
        $again = self::files($merged, $merged->root(), $globals);

        if (count($again->misreads) <= count($config->misreads)) {
            return $again;
        }

        // As configuration of the file before they would make it worse: they are files,
        // included where we do not see it.
        return new NginxConfig(
            $config->main,
            [...$config->misreads, ...array_map(ParseIssue::notIncluded(...), $strangers)],
            $config->files,
        );
    }

    /** @param string $name as written, perhaps with wildcards */
    public function include(string $name, string $file, int $line, Block $into, ?Directive $in): void
    {
        $path = str_starts_with($name, '/') ? $name : rtrim($this->directory, '/').'/'.$name;

        try {
            foreach (strpbrk($path, '*?[') === false ? [$path] : $this->source->matching($path) as $each) {
                $this->included($each, $file, $line, $into, $in);
            }
        } catch (UnableToRead $e) {
            $this->misreads->add($misread = ParseIssue::notRead($file, $line, $path, $e->getMessage()));
            $into->lacks($misread->text());
        }
    }

    private function included(string $path, string $file, int $line, Block $into, ?Directive $in): void
    {
        try {
            if (isset($this->open[$path])) {
                throw UnableToRead::cycle("{$file}:{$line}");
            }

            $text = $this->source->text($path);
            $this->bytes += strlen($text);

            if (++$this->count > self::MAX_FILES || $this->bytes > self::MAX_BYTES) {
                throw UnableToRead::tooMuch(self::MAX_FILES, self::MAX_BYTES);
            }

            $this->file($path, $text, $into, $in);
        } catch (UnableToRead $e) {
            $this->misreads->add($misread = ParseIssue::notRead($file, $line, $path, $e->getMessage()));
            $into->lacks($misread->text());
        }
    }

    private function file(string $path, string $text, Block $into, ?Directive $in): void
    {
        $this->files[$path] = true;
        $this->open[$path] = true;
        (new FileParser($this, $path, $text, $into, $in))->parse();
        unset($this->open[$path]);
    }
}
