<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Workbench\App\Models\Member;
use Workbench\App\Notifications\InvoicePaid;

final class InvoiceController
{
    public function paid(Member $member, Request $request): JsonResponse
    {
        $member->notify(new InvoicePaid($request->integer('invoice'), $request->float('amount')));

        return new JsonResponse(['accepted' => true], 202);
    }

    public function notifications(Member $member): JsonResponse
    {
        return new JsonResponse($member->unreadNotifications()->pluck('data'));
    }
}
