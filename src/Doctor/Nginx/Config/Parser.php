<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

use Headroom\Doctor\FactUnavailable;

/**
 * Builds the tree of a configuration that nginx accepts. It does not read a part of one: what is not known could
 * change the meaning of the rest.
 *
 * @internal
 */
final class Parser
{
    public const GLOBALS = 'nginx -g';

    /** A file that includes two, each of which includes two, and so on, would take forever. */
    private const MAX_FILES = 50_000;

    /** In all files; the tree takes about twenty times as much memory. */
    private const MAX_BYTES = 64 << 20;

    /** Of blocks and included files; a file that includes itself has no end. */
    private const MAX_DEPTH = 200;

    /** Blocks in which include is an entry like the others. */
    private const NO_INCLUDE = ['charset_map', 'split_clients'];

    private readonly Block $main;

    /** @var array<string, true> */
    private array $files = [];

    private int $count = 0;

    private int $bytes = 0;

    /** @param string $directory that of the outermost file: nginx takes names of included files relative to it */
    private function __construct(private readonly ConfigFiles $source, private readonly string $directory)
    {
        $this->main = new Block;
    }

    /**
     * @param string $globals the directives of `nginx -g`, which stand before the outermost file
     *
     * @throws FactUnavailable
     */
    public static function files(ConfigFiles $source, string $root, string $globals = ''): NginxConfig
    {
        $parser = new self($source, dirname($root));
        $parser->read(new Lexer(self::GLOBALS, $globals), self::GLOBALS, null, 0);
        $parser->file($root, new Lexer($root, ''), null, 0);

        return new NginxConfig($parser->main, array_map(strval(...), array_keys($parser->files)));
    }

    /** @throws FactUnavailable */
    public static function dump(NginxDump $dump, string $globals = ''): NginxConfig
    {
        $config = self::files($dump, $dump->root(), $globals);
        $others = array_diff($dump->paths(), $config->files);

        return $others === [] ? $config : throw FactUnavailable::because(
            'nginx -T prints '.implode(', ', $others).', which no file includes.',
            'nginx -t',
        );
    }

    private function read(Lexer $lexer, string $file, ?Directive $around, int $depth): void
    {
        [$in, $open] = [$around, 0];

        while (($statement = $lexer->next())->end !== '') {
            if ($statement->end === '}') {
                // nginx closes a block in the file that opens it.
                $in = $open-- > 0 ? $in?->parent : throw $lexer->broken('unexpected "}"');

                continue;
            }

            $arguments = $statement->words;
            $name = (string) array_shift($arguments);
            $isBlock = $statement->end === '{';

            if (! $isBlock && $name === 'include' && ! in_array($in?->name, self::NO_INCLUDE, true)) {
                $this->include($arguments[0] ?? '', $lexer, $in, $depth + $open);

                continue;
            }

            $isLua = $isBlock && str_ends_with($name, '_by_lua_block');
            $directive = new Directive(
                $name,
                $isLua ? [...$arguments, $lexer->lua()] : $arguments,
                $file,
                $statement->lines[0],
                $isBlock && ! $isLua ? new Block : null,
                $in,
                $isLua ? null : $statement->span,
            );
            ($in->block ?? $this->main)->add($directive);

            if ($directive->block !== null) {
                [$in, $open] = [$directive, $open + 1];
                $this->limit($depth + $open, $lexer);
            }
        }

        if ($open > 0) {
            throw $lexer->broken('unexpected end of file');
        }
    }

    /** @param string $name as written, perhaps with wildcards */
    private function include(string $name, Lexer $lexer, ?Directive $in, int $depth): void
    {
        $path = str_starts_with($name, '/') ? $name : rtrim($this->directory, '/')."/{$name}";
        $paths = strpbrk($path, '*?[') === false ? [$path] : $this->source->matching($path);

        foreach ($paths ?? throw $lexer->broken("{$path} cannot be listed, which is included") as $each) {
            $this->file($each, $lexer, $in, $depth + 1);
        }
    }

    /** @param Lexer $by of the file that includes it */
    private function file(string $path, Lexer $by, ?Directive $in, int $depth): void
    {
        $text = $this->source->text($path) ?? throw $by->broken("{$path} cannot be opened");
        $this->files[$path] = true;
        $this->count++;
        $this->bytes += strlen($text);
        $this->limit($depth, $by);
        $this->read(new Lexer($path, $text), $path, $in, $depth);
    }

    private function limit(int $depth, Lexer $lexer): void
    {
        if ($depth > self::MAX_DEPTH || $this->count > self::MAX_FILES || $this->bytes > self::MAX_BYTES) {
            throw $lexer->broken('more blocks, files or bytes than the doctor reads');
        }
    }
}
