<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * Why a requested class is not in the list.
 *
 * @internal
 */
enum DropReason: string
{
    case Ignored = 'ignored';
    case DevPackage = 'dev-package';
    case Impure = 'does-more-than-declare';
    case Unreadable = 'unreadable';
    case NotDeclared = 'not-declared';
    case MissingAncestor = 'missing-ancestor';
    case DroppedAncestor = 'dropped-ancestor';
    case OverBudget = 'over-budget';
    case Warned = 'php-warned';
    case StopsPhp = 'stops-php';
    case ChangesPage = 'changes-a-page';
}
