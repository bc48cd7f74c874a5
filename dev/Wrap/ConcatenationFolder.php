<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Node;
use PhpParser\Node\Expr\BinaryOp\Concat;
use PhpParser\Node\InterpolatedStringPart;
use PhpParser\Node\Scalar\InterpolatedString;
use PhpParser\Node\Scalar\String_;
use PhpParser\NodeVisitorAbstract;

/**
 * Makes one string of literals that are concatenated, so that two ways to split a text are the same tree.
 *
 * @internal
 */
final class ConcatenationFolder extends NodeVisitorAbstract
{
    public function leaveNode(Node $node): ?Node
    {
        if (! $node instanceof Concat) {
            return null;
        }

        $parts = [];

        foreach ([...self::parts($node->left), ...self::parts($node->right)] as $part) {
            $last = $parts[count($parts) - 1] ?? null;

            if ($part instanceof InterpolatedStringPart && $last instanceof InterpolatedStringPart) {
                array_pop($parts);
                $part = new InterpolatedStringPart($last->value.$part->value);
            }

            $parts[] = $part;
        }

        return count($parts) === 1 && $parts[0] instanceof InterpolatedStringPart
            ? new String_($parts[0]->value)
            : new InterpolatedString($parts);
    }

    /** @return array<Node\Expr|InterpolatedStringPart> */
    private static function parts(Node\Expr $operand): array
    {
        return match (true) {
            $operand instanceof String_ => [new InterpolatedStringPart($operand->value)],
            $operand instanceof InterpolatedString => $operand->parts,
            default => [$operand],
        };
    }
}
