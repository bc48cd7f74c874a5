<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Node;
use PhpParser\Node\Scalar\InterpolatedString;
use PhpParser\Node\Scalar\String_;
use PhpParser\NodeVisitor;
use PhpParser\NodeVisitorAbstract;
use PhpParser\Token;

/**
 * Finds the string literals of one line that a concatenation may take the place of.
 *
 * @internal
 */
final class LiteralFinder extends NodeVisitorAbstract
{
    /** Breaks within an expression that PHP or a shell reads would only hide it. */
    private const REGEX = '{\A([/~#]).*\1[a-zA-Z]*\z}';

    /** @var list<Literal> in the order of the file */
    private array $found = [];

    /**
     * @param array<Token> $tokens
     * @param list<class-string<Node>> $parents
     */
    public function __construct(private readonly array $tokens, private readonly array $parents) {}

    /** @return list<Literal> */
    public function found(): array
    {
        usort($this->found, static fn (Literal $a, Literal $b): int => $a->start <=> $b->start);

        return $this->found;
    }

    public function enterNode(Node $node): ?int
    {
        if ($node instanceof String_ || $node instanceof InterpolatedString) {
            $this->take($node);
        }

        return $node instanceof InterpolatedString ? NodeVisitor::DONT_TRAVERSE_CHILDREN : null;
    }

    private function take(String_|InterpolatedString $node): void
    {
        $parent = $node->getAttribute('parent');

        if (! $parent instanceof Node || ! in_array($parent::class, $this->parents, true)) {
            return;
        }

        if ($node instanceof String_ && preg_match(self::REGEX, $node->value) === 1) {
            return;
        }

        $tokens = array_values(array_slice(
            $this->tokens,
            $node->getStartTokenPos(),
            $node->getEndTokenPos() - $node->getStartTokenPos() + 1,
        ));
        $text = implode('', array_column($tokens, 'text'));

        // Not a heredoc, and of one line.
        if (in_array($text[0], ["'", '"'], true) && ! str_contains($text, "\n")) {
            $this->found[] = new Literal($node->getStartFilePos(), $node->getStartLine(), $text, $tokens);
        }
    }
}
