<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Expr\BinaryOp;
use PhpParser\Node\Scalar\InterpolatedString;
use PhpParser\Node\Scalar\String_;
use PhpParser\Node\Stmt;
use PhpParser\NodeVisitor;
use PhpParser\NodeVisitorAbstract;

/**
 * Finds the groups of a file in its syntax tree.
 *
 * @internal
 */
final class GroupFinder extends NodeVisitorAbstract
{
    private const COMPARISONS = [
        BinaryOp\Identical::class, BinaryOp\NotIdentical::class, BinaryOp\Equal::class, BinaryOp\NotEqual::class,
        BinaryOp\Smaller::class, BinaryOp\SmallerOrEqual::class, BinaryOp\Greater::class,
        BinaryOp\GreaterOrEqual::class,
    ];

    private const ARITHMETIC = [BinaryOp\Plus::class, BinaryOp\Minus::class, BinaryOp\Mul::class, BinaryOp\Div::class];

    /** @var list<Group> */
    private array $groups = [];

    /** @var array<int, true> brackets that a group has */
    private array $opened = [];

    /** @var array<int, array{int, int}> ends of what may stand in parentheses, by the opening one */
    private array $parentheses = [];

    /** @var array<int, true> nodes that belong to a group already found, by object id */
    private array $seen = [];

    /** @var array<int, int> groups of operators that begin with a token */
    private array $starts = [];

    public function __construct(private readonly Tokens $tokens) {}

    /** @return list<Group> */
    public function groups(): array
    {
        foreach ($this->parentheses as $open => [$start, $close]) {
            if (! isset($this->opened[$open])) {
                $kind = $this->tokens->is($open - 1, 'if', 'elseif', 'while', 'switch', 'match')
                    ? GroupKind::Parentheses
                    : GroupKind::Grouping;
                $this->groups[] = new Group($kind, $open, $close, [$start]);
            }
        }

        $this->parentheses = [];

        return $this->groups;
    }

    public function enterNode(Node $node): ?int
    {
        if ($node instanceof InterpolatedString || $node instanceof Expr\ShellExec) {
            return NodeVisitor::DONT_TRAVERSE_CHILDREN;
        }

        match (true) {
            $node instanceof Expr\CallLike => $this->call($node),
            $node instanceof Expr\Array_, $node instanceof Expr\List_ => $this->elements($node),
            $node instanceof Expr\Match_ => $this->items($node->arms),
            $node instanceof Node\FunctionLike => $this->declaration($node),
            $node instanceof Node\AttributeGroup => count($node->attrs) > 1 ? $this->items($node->attrs) : null,
            $node instanceof Node\Attribute => $this->items($node->args),
            $node instanceof Expr\Isset_, $node instanceof Stmt\Unset_ => $this->items($node->vars),
            $node instanceof BinaryOp => $this->operators($node),
            $node instanceof Expr\Ternary => $this->ternary($node),
            $node instanceof Stmt\Class_ && $node->name !== null => $this->names($node, $node->implements),
            $node instanceof Stmt\Interface_ => $this->names($node, $node->extends),
            $node instanceof Stmt\Foreach_ => $this->loop($node),
            $node instanceof Node\MatchArm => $this->arm($node),
            $node instanceof Node\ArrayItem => $this->value($node->key === null ? null : $node->value),
            $node instanceof Expr\Assign => $this->value($node->expr),
            $node instanceof Node\Const_ => $this->value($node->value),
            $node instanceof Node\PropertyItem => $this->value($node->default),
            default => null,
        };

        if (
            $node instanceof Expr\MethodCall
            || $node instanceof Expr\NullsafeMethodCall
            || $node instanceof Expr\PropertyFetch
        ) {
            $this->chain($node);
        }

        if ($node instanceof Expr) {
            $this->parentheses($node);
        }

        return null;
    }

    private function start(Node $node): int
    {
        return $this->tokens->position($node->getStartTokenPos());
    }

    private function end(Node $node): int
    {
        return $this->tokens->position($node->getEndTokenPos());
    }

    private function call(Expr\CallLike $call): void
    {
        if (! $call->isFirstClassCallable()) {
            $this->items($call->getArgs());
        }
    }

    private function elements(Expr\Array_|Expr\List_ $array): void
    {
        $items = array_filter($array->items, static fn (?Node\ArrayItem $item): bool => $item !== null);

        if (count($items) === count($array->items)) {
            $this->items($array->items, GroupKind::Elements);
        }
    }

    private function declaration(Node\FunctionLike $function): void
    {
        $hasOwnBrace = ($function instanceof Stmt\ClassMethod || $function instanceof Stmt\Function_)
            && $function->getStmts() !== null;

        $this->items($function->getParams(), hasOwnBrace: $hasOwnBrace);

        if ($function instanceof Expr\Closure) {
            $this->items($function->uses);
        }

        if ($function instanceof Expr\ArrowFunction) {
            $arrow = $this->tokens->previous($this->start($function->expr));

            while ($this->tokens->is($arrow, '(')) {
                $arrow = $this->tokens->previous($arrow);
            }

            $this->add(GroupKind::ArrowBody, $this->start($function), $this->end($function), [$arrow]);
        }
    }

    /** @param array<Node|null> $nodes */
    private function items(array $nodes, GroupKind $kind = GroupKind::Items, bool $hasOwnBrace = false): void
    {
        $nodes = array_values(array_filter($nodes, static fn (?Node $node): bool => $node !== null));

        if ($nodes === []) {
            return;
        }

        $last = $nodes[count($nodes) - 1];
        $open = $this->tokens->previous($this->start($nodes[0]));
        $close = $this->tokens->next($this->end($last));

        if ($this->tokens->is($close, ',')) {
            $close = $this->tokens->next($close);
        }

        if (! $this->tokens->is($open, '(', '[', '{', '#[') || ! $this->tokens->is($close, ')', ']', '}')) {
            return;
        }

        $this->opened[$open] = true;
        $this->groups[] = new Group(
            $kind,
            $open,
            $close,
            array_map($this->start(...), $nodes),
            takesComma: true,
            brace: $hasOwnBrace ? $this->brace($close) : null,
            packs: $kind === GroupKind::Elements && Items::mayPack($nodes),
            fills: $kind === GroupKind::Elements && Items::mayFill($nodes),
            hug: Items::hug($nodes, $kind),
        );
    }

    private function brace(int $position): int
    {
        while (! $this->tokens->is($position, '{')) {
            $position++;
        }

        return $position;
    }

    private function operators(BinaryOp $operation): void
    {
        $family = self::family($operation);

        if ($family === [] || isset($this->seen[spl_object_id($operation)])) {
            return;
        }

        $breaks = [];
        $this->flatten($operation, $family, $breaks);
        $kind = match (true) {
            $operation instanceof BinaryOp\Concat => GroupKind::Concatenation,
            $operation instanceof BinaryOp\Coalesce => GroupKind::Coalesce,
            in_array($operation::class, self::ARITHMETIC, true) => GroupKind::Arithmetic,
            in_array($operation::class, self::COMPARISONS, true) => GroupKind::Comparison,
            default => GroupKind::Operators,
        };
        $this->add($kind, $this->start($operation), $this->end($operation), $breaks);
    }

    /** @return list<class-string<BinaryOp>> operators of one precedence, none where no line is broken at them */
    private static function family(BinaryOp $operation): array
    {
        foreach ([
            [BinaryOp\BooleanAnd::class],
            [BinaryOp\BooleanOr::class],
            [BinaryOp\Coalesce::class],
            [BinaryOp\Concat::class],
            [BinaryOp\Plus::class, BinaryOp\Minus::class],
            [BinaryOp\Mul::class, BinaryOp\Div::class],
            [BinaryOp\BitwiseOr::class],
            [BinaryOp\Spaceship::class],
            self::COMPARISONS,
        ] as $family) {
            if (in_array($operation::class, $family, true)) {
                return $family;
            }
        }

        return [];
    }

    /**
     * @param list<class-string<BinaryOp>> $family
     * @param list<int> $breaks
     */
    private function flatten(BinaryOp $operation, array $family, array &$breaks): void
    {
        $this->seen[spl_object_id($operation)] = true;
        $operator = $this->tokens->next($this->end($operation->left));

        while ($this->tokens->is($operator, ')')) {
            $operator = $this->tokens->next($operator);
        }

        // An operand in parentheses starts behind its own parenthesis, so its operators are another group.
        if ($operation->left instanceof BinaryOp && in_array($operation->left::class, $family, true)
            && $this->start($operation->left) === $this->start($operation)) {
            $this->flatten($operation->left, $family, $breaks);
        }

        $breaks[] = $operator;

        if ($operation->right instanceof BinaryOp && in_array($operation->right::class, $family, true)
            && $this->start($operation->right) === $this->tokens->next($operator)) {
            $this->flatten($operation->right, $family, $breaks);
        }
    }

    private function ternary(Expr\Ternary $ternary): void
    {
        if ($ternary->if === null) {
            return;
        }

        $breaks = [];

        foreach ([[$ternary->cond, '?'], [$ternary->if, ':']] as [$before, $sign]) {
            $position = $this->tokens->next($this->end($before));

            while (! $this->tokens->is($position, $sign)) {
                $position = $this->tokens->next($position);
            }

            $breaks[] = $position;
        }

        $this->add(GroupKind::Ternary, $this->start($ternary), $this->end($ternary), $breaks);
    }

    private function chain(Expr\MethodCall|Expr\NullsafeMethodCall|Expr\PropertyFetch $link): void
    {
        if (isset($this->seen[spl_object_id($link)])) {
            return;
        }

        $breaks = [];
        $isCalled = false;

        for ($node = $link; $node instanceof Expr\MethodCall || $node instanceof Expr\NullsafeMethodCall
            || $node instanceof Expr\PropertyFetch || $node instanceof Expr\NullsafePropertyFetch; $node = $node->var) {
            $this->seen[spl_object_id($node)] = true;

            $isCalled = $isCalled || $node instanceof Expr\CallLike;

            if ($isCalled && $node->var instanceof Expr\CallLike && ! $node->var instanceof Expr\New_) {
                $breaks[] = $this->tokens->next($this->end($node->var));
            }
        }

        if ($breaks !== []) {
            $this->add(GroupKind::Chain, $this->start($link), $this->end($link), array_reverse($breaks));
        }
    }

    /** @param array<Node\Name> $names */
    private function names(Stmt\ClassLike $class, array $names): void
    {
        if ($names !== []) {
            $names = array_values($names);
            $this->add(
                GroupKind::Names,
                $this->start($class),
                $this->end($names[count($names) - 1]),
                array_map($this->start(...), $names),
            );
        }
    }

    private function loop(Stmt\Foreach_ $loop): void
    {
        $start = $this->start($loop->expr);
        $open = $this->tokens->previous($start);

        if ($this->tokens->is($this->tokens->previous($open), 'foreach')) {
            $this->groups[] = new Group(
                GroupKind::Grouping,
                $open,
                $this->tokens->next($this->end($loop->valueVar)),
                [$start],
            );
        }
    }

    private function arm(Node\MatchArm $arm): void
    {
        $conditions = $arm->conds ?? [];

        if (count($conditions) > 1) {
            $last = $this->end($conditions[count($conditions) - 1]);
            $this->add(
                GroupKind::Conditions,
                $this->start($arm),
                $last,
                array_map($this->start(...), array_slice($conditions, 1)),
            );
        }

        $this->value($arm->body);
    }

    private function value(?Expr $value): void
    {
        // A string gets a line of its own before it is split.
        if ($value instanceof String_ || $value instanceof InterpolatedString || $value instanceof BinaryOp\Concat) {
            $start = $this->start($value);

            if ($this->tokens->is($this->tokens->previous($start), '=', '=>')) {
                $this->add(GroupKind::Value, $this->tokens->previous($start), $this->end($value), [$start]);
            }
        }
    }

    private function parentheses(Expr $expression): void
    {
        $start = $this->start($expression);
        $open = $this->tokens->previous($start);
        $close = $this->tokens->next($this->end($expression));

        if ($this->tokens->is($open, '(') && $this->tokens->is($close, ')')) {
            $this->parentheses[$open] = [$start, $close];
        }
    }

    /** @param list<int> $breaks */
    private function add(GroupKind $kind, int $start, int $end, array $breaks): void
    {
        $sameStart = $this->starts[$start] ?? 0;

        if ($kind->isOperator()) {
            $this->starts[$start] = $sameStart + 1;
        }

        $this->groups[] = new Group($kind, $start, $end, $breaks, sameStart: $kind->isOperator() ? $sameStart : 0);
    }
}
