<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * One file, at the place where it is included. Braces must match within it.
 *
 * @internal
 */
final class FileParser
{
    /** Blocks in blocks; nginx has no limit of its own, and people write six. */
    private const MAX_DEPTH = 200;

    private readonly Lexer $lexer;

    /** @var list<Directive> blocks of this file that are open, the outermost first */
    private array $open = [];

    /** How many blocks are open around this file. */
    private readonly int $depth;

    /**
     * @param Block $into what takes the directives outside of all blocks of this file
     * @param ?Directive $in whose block that is
     */
    public function __construct(
        private readonly Parser $parser,
        private readonly string $file,
        string $text,
        private readonly Block $into,
        private readonly ?Directive $in,
    ) {
        $this->lexer = new Lexer($file, $text, $parser->misreads);
        $this->depth = $in === null ? 0 : count($in->path());
    }

    public function parse(): void
    {
        do {
            $statement = $this->lexer->next();

            match ($statement->end) {
                StatementEnd::File => $this->close(0, 'the end of the file'),
                StatementEnd::Close => $this->closeOne($statement),
                StatementEnd::Semicolon, StatementEnd::Open => $this->take($statement),
            };
        } while ($statement->end !== StatementEnd::File);
    }

    private function around(): ?Directive
    {
        return $this->open === [] ? $this->in : $this->open[count($this->open) - 1];
    }

    private function closeOne(Statement $statement): void
    {
        if (array_pop($this->open) === null) {
            $this->parser->misreads->add(ParseIssue::strayBrace($this->file, $statement->line));
        }
    }

    /** @param int $keep how many stay open */
    private function close(int $keep, string $before): void
    {
        while (count($this->open) > $keep) {
            $this->parser->misreads->add(ParseIssue::unclosedBlock($this->open[count($this->open) - 1], $before));
            array_pop($this->open);
        }
    }

    private function take(Statement $statement): void
    {
        $grammar = $this->parser->grammar;

        if ($statement->end === StatementEnd::Open) {
            $this->makeRoomFor($statement);
        }

        $in = $this->around();

        if ($in !== null && $grammar->isData($in)) {
            $this->object($grammar->objectionToEntry($this->file, $statement, $in));
            $this->directive($statement);

            return;
        }

        if (! $grammar->knows($in) || $grammar->objection($this->file, $statement, $in) === null) {
            $this->directive($statement);

            return;
        }

        $before = null;

        foreach ($grammar->apart($statement) as $part) {
            if ($before !== null) {
                $this->parser->misreads->add(ParseIssue::noSemicolon(
                    $this->file,
                    $before->lines[0],
                    $before->words[0],
                    "\"{$part->words[0]}\" in line {$part->lines[0]}",
                ));
            }

            $this->object($grammar->objection($this->file, $part, $in));
            $this->directive($part);
            $before = $part;
        }
    }

    private function object(?ParseIssue $objection): void
    {
        if ($objection !== null) {
            $this->parser->misreads->add($objection);
        }
    }

    /** A block that can not stand here tells that one before it was not closed. */
    private function makeRoomFor(Statement $statement): void
    {
        $name = $statement->words[0];
        $keep = count($this->open);

        if ($this->parser->grammar->allows($name, $this->around())) {
            return;
        }

        while ($keep-- > 0) {
            if ($this->parser->grammar->allows($name, $keep === 0 ? $this->in : $this->open[$keep - 1])) {
                $this->close($keep, "\"{$name}\" in line {$statement->lines[0]}");

                return;
            }
        }

        $this->parser->misreads->add(ParseIssue::notAllowed(
            $this->file,
            $statement->lines[0],
            $name,
            $this->around()?->where() ?? 'the outermost place',
        ));
    }

    private function directive(Statement $statement): void
    {
        $name = $statement->words[0];
        $arguments = array_slice($statement->words, 1);
        $line = $statement->lines[0];
        $in = $this->around();
        $into = $this->open === [] ? $this->into : $in?->block;

        if ($into === null) {
            return;
        }

        if ($statement->end === StatementEnd::Open && LuaBlock::isNamed($name)) {
            $this->lua(new Directive($name, $arguments, $this->file, $line, null, $in), $into);
        } elseif ($statement->end === StatementEnd::Open) {
            $block = new Directive($name, $arguments, $this->file, $line, new Block, $in, $statement->span);
            $into->add($block);
            $this->enter($block);
        } elseif ($name === 'include' && $arguments !== [] && $this->parser->grammar->includes($in)) {
            $this->parser->include($arguments[0], $this->file, $line, $into, $in);
        } else {
            $into->add(new Directive($name, $arguments, $this->file, $line, null, $in, $statement->span));
        }
    }

    private function lua(Directive $head, Block $into): void
    {
        $lua = $this->lexer->lua();
        $into->add(new Directive(
            $head->name,
            [...$head->arguments, $lua->code],
            $head->file,
            $head->line,
            null,
            $head->parent,
        ));

        if (! $lua->closed) {
            $this->parser->misreads->add(ParseIssue::unclosedBlock($head, 'the end of the file'));
        }
    }

    private function enter(Directive $block): void
    {
        $this->open[] = $block;

        if ($this->depth + count($this->open) <= self::MAX_DEPTH) {
            return;
        }

        $this->parser->misreads->add(ParseIssue::tooDeep($block, self::MAX_DEPTH));
        $depth = 1;

        while ($depth > 0 && ($statement = $this->lexer->next())->end !== StatementEnd::File) {
            if ($statement->end === StatementEnd::Open && LuaBlock::isNamed($statement->words[0])) {
                $this->lexer->lua();
            } else {
                $depth += match ($statement->end) {
                    StatementEnd::Open => 1,
                    StatementEnd::Close => -1,
                    StatementEnd::Semicolon, StatementEnd::File => 0,
                };
            }
        }

        if ($depth === 0) {
            array_pop($this->open);
        }
    }
}
