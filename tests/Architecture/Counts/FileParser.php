<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use Headroom\Tests\Architecture\Files;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor\NameResolver;
use PhpParser\Parser;
use PhpParser\ParserFactory;

final readonly class FileParser
{
    private Parser $parser;

    public function __construct()
    {
        $this->parser = (new ParserFactory)->createForHostVersion();
    }

    /** @return list<ParsedFile> */
    public function parseAll(string $directory): array
    {
        $parse = fn (string $path): ParsedFile => $this->parse($path, Files::read($path));

        return array_map($parse, Files::php($directory));
    }

    public function parse(string $path, string $code): ParsedFile
    {
        $facts = new FactCollector;
        (new NodeTraverser(new NameResolver, $facts))->traverse($this->parser->parse($code) ?? []);
        $texts = [];

        foreach ($this->parser->getTokens() as $token) {
            if ($token->is([T_COMMENT, T_DOC_COMMENT, T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE])) {
                $texts[] = new Text($token->text, $token->line, $token->is([T_COMMENT, T_DOC_COMMENT]));
            }
        }

        return new ParsedFile($path, $facts->classes, array_keys($facts->uses), $facts->messages, self::joined($texts));
    }

    /**
     * A comment of several lines that begin with // is several tokens and one text.
     *
     * @param list<Text> $texts
     * @return list<Text>
     */
    private static function joined(array $texts): array
    {
        $joined = [];
        $last = null;

        foreach ($texts as $text) {
            $follows = $last !== null && str_starts_with($last->text, '//') && str_starts_with($text->text, '//')
                && $text->line === $last->line + substr_count($last->text, "\n") + 1;

            if ($last !== null && $follows) {
                array_pop($joined);
                $text = new Text("{$last->text}\n{$text->text}", $last->line, true);
            }

            $joined[] = $last = $text;
        }

        return $joined;
    }
}
