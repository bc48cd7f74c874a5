<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use Closure;
use PhpParser\Node;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor\ParentConnectingVisitor;
use PhpParser\Parser;

/**
 * Splits a string literal that reaches over the end of its line into a concatenation of shorter ones.
 *
 * @internal
 */
final readonly class StringSplitter
{
    private const INDENT = 4;

    /**
     * `.` binds tighter than any operator that may stand beside a literal there. The cases of an enum are left out:
     * Pint does not indent their second lines.
     */
    private const PARENTS = [
        Node\Arg::class, Node\ArrayItem::class, Node\Const_::class, Node\Expr\ArrowFunction::class,
        Node\Expr\Assign::class, Node\Expr\AssignOp\Coalesce::class, Node\Expr\AssignOp\Concat::class,
        Node\Expr\BinaryOp\Coalesce::class, Node\Expr\BinaryOp\Concat::class, Node\Expr\BinaryOp\Identical::class,
        Node\Expr\BinaryOp\NotIdentical::class, Node\Expr\Ternary::class, Node\Expr\Yield_::class,
        Node\MatchArm::class, Node\Param::class, Node\PropertyItem::class, Node\Stmt\Case_::class,
        Node\Stmt\Echo_::class, Node\Stmt\Return_::class,
    ];

    /** A literal of no more characters is not what makes its line wide. */
    private const SHORT = 24;

    /** Characters of a placeholder, its quotes included. */
    private const PLACEHOLDER = 60;

    public function __construct(private Parser $parser) {}

    /** @param Closure(string): string $layout breaks lines between tokens */
    public function split(string $code, Closure $layout): string
    {
        $placed = $code;
        $texts = [];

        // A concatenation has other breaks around it than a literal has, such as each argument on its own line.
        foreach ($this->found($code, self::endsBeyond(...)) as [$literal]) {
            $texts[] = $literal->text;
            $placed = substr($placed, 0, $literal->start)
                .self::placeholder(count($texts) - 1, $literal)
                .substr($placed, $literal->end);
        }

        $code = $texts === [] ? $code : self::withTexts($layout($placed), $texts);

        foreach ($this->found($code, self::reachesOver(...)) as [$literal, $line]) {
            $code = $this->splitOne($code, $line, $literal);
        }

        return $code;
    }

    private static function placeholder(int $number, Literal $literal): string
    {
        $text = "'".str_pad("literal_{$number}_", self::PLACEHOLDER - 2, '_')."'";

        return implode('.', array_fill(0, max(2, intdiv(mb_strlen($literal->text), self::PLACEHOLDER) + 1), $text));
    }

    /** @param list<string> $texts by the number of their placeholders */
    private static function withTexts(string $code, array $texts): string
    {
        return (string) preg_replace_callback(
            "/'literal_(\\d+)_+'(?:\\s*\\.\\s*'literal_\\1_+')+/",
            static fn (array $match): string => $texts[(int) $match[1]],
            $code,
        );
    }

    /**
     * @param Closure(WideLine, Literal): bool $matches
     * @return list<array{Literal, WideLine}> from the end on, so that the offsets of those before stay
     */
    private function found(string $code, Closure $matches): array
    {
        $wide = self::wideLines($code);
        $found = [];

        if ($wide === []) {
            return [];
        }

        $statements = $this->parser->parse($code) ?? [];
        $literals = new LiteralFinder($this->parser->getTokens(), self::PARENTS);
        (new NodeTraverser(new ParentConnectingVisitor, $literals))->traverse($statements);

        foreach (array_reverse($literals->found()) as $literal) {
            $line = $wide[$literal->line] ?? null;

            if ($line !== null && $matches($line, $literal)) {
                $found[] = [$literal, $line];
            }
        }

        return $found;
    }

    /** @return array<int, WideLine> by number */
    private static function wideLines(string $code): array
    {
        $wide = [];
        $start = 0;
        $before = '';

        foreach (explode("\n", $code) as $number => $line) {
            // A comment is about the errors of this line.
            $isPinned = str_contains($line, '@phpstan-ignore') || str_contains($before, '@phpstan-ignore');

            if (mb_strlen($line) > LineBreaker::WIDTH && ! $isPinned) {
                $wide[$number + 1] = new WideLine($start, $line);
            }

            $start += strlen($line) + 1;
            $before = $line;
        }

        return $wide;
    }

    /** Some characters behind it count too: no break before them has helped. */
    private static function endsBeyond(WideLine $line, Literal $literal): bool
    {
        return $line->column($literal->end) > LineBreaker::WIDTH - Literal::REST
            && mb_strlen($literal->text) > self::SHORT;
    }

    private static function reachesOver(WideLine $line, Literal $literal): bool
    {
        return $line->column($literal->start) < LineBreaker::WIDTH && self::endsBeyond($line, $literal);
    }

    private function splitOne(string $code, WideLine $line, Literal $literal): string
    {
        $indent = $line->indent();
        $start = $literal->start;
        $column = $line->column($start);
        // The assignment takes the first piece back to its own line.
        $isAlone = $column === $indent
            && preg_match('/\n( *)(?! |\n)([^\n]*=>?)\n *\z/', substr($code, 0, $start), $before) === 1;

        if ($isAlone && mb_strlen($before[2]) < LineBreaker::WIDTH / 2) {
            $indent = strlen($before[1]);
            $column = $indent + mb_strlen($before[2]) + 1;
            $start -= $line->indent() + 1;
        }

        $next = $indent + ($line->startsWithOperand() ? 0 : self::INDENT);
        $rest = mb_strlen($line->textFrom($literal->end));
        $pieces = $literal->pieces(LineBreaker::WIDTH - $column, LineBreaker::WIDTH - $next - 1, $rest);

        if (count($pieces) < 2) {
            return $code;
        }

        return substr($code, 0, $start)
            .($start === $literal->start ? '' : ' ')
            .implode("\n".str_repeat(' ', $next).'.', $pieces)
            .substr($code, $literal->end);
    }
}
