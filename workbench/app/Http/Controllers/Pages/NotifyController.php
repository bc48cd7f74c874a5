<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Workbench\App\Models\Member;
use Workbench\App\Notifications\OrderShipped;

/**
 * Notifies a member through the database.
 */
final class NotifyController
{
    public function __invoke(): JsonResponse
    {
        $member = Member::query()->firstOrCreate(['name' => 'Ada', 'locale' => 'de']);
        $member->notify(new OrderShipped(17));

        return new JsonResponse([
            'to' => $member->getAttribute('name'),
            'isTold' => $member->unreadNotifications()->exists(),
        ]);
    }
}
